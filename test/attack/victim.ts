import { join } from "node:path";
import type { KubeObject } from "../../src/api/index.ts";
import { type PodObject, resources } from "../../src/engines/podvolume/index.ts";
import { eventually } from "../harness/eventually.ts";
import { fillTree } from "../harness/tree.ts";
import type { Stage } from "./stage.ts";

/** A pod of somebody else, whose volume nobody may copy without being asked to. */
export interface Victim {
  readonly namespace: string;
  readonly uid: string;
  /** Where its volume lies on the machine. */
  readonly folder: string;
}

/** Makes the victim, and waits until it runs. */
export async function makeVictim(stage: Stage): Promise<Victim> {
  const namespace = await stage.space("victim");
  const uid = await makePod(stage, namespace, "web", {});
  const folder = join(stage.options.hostPods, uid, "volumes", "kubernetes.io~empty-dir", "data");
  fillTree(folder, [200_000, 7, 3_000_000]);
  return { namespace, uid, folder };
}

/** Makes a pod with a volume "data"; its uid, once it runs, or once its first init container does. */
export async function makePod(stage: Stage, namespace: string, name: string, spec: object): Promise<string> {
  const { client, options } = stage;
  const container = {
    image: options.image,
    imagePullPolicy: "Never",
    command: ["sh", "-c", "sleep 100000"],
    volumeMounts: [{ name: "data", mountPath: "/data" }],
  };
  await client.create(resources.pods, {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace },
    spec: {
      terminationGracePeriodSeconds: 0,
      automountServiceAccountToken: false,
      containers: [{ name: "c", ...container }],
      ...("held" in spec && { initContainers: [{ name: "restore-wait", ...container }] }),
      volumes: [{ name: "data", emptyDir: {} }],
    },
  });
  const pod = await eventually(
    () => client.get<KubeObject & PodObject>(resources.pods, name, { namespace }),
    ({ status }) => status?.phase === "Running" || status?.initContainerStatuses?.[0]?.state?.running != null,
    120_000,
  );
  return pod.metadata.uid ?? "";
}
