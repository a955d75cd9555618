import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { KubeObject } from "../../src/api/index.ts";
import { type PodObject, resources, type Uploader } from "../../src/engines/podvolume/index.ts";
import { eventually } from "../harness/eventually.ts";
import { embeddedSide, type Side } from "../harness/migration-sides.ts";
import { describeWorld, server } from "../harness/migration-world.ts";
import { agentShows } from "../harness/node-world.ts";
import { ensureNamespace, prepareServer } from "../harness/volume-world.ts";
import { Ends } from "./ends.ts";
import { Victims } from "./victims.ts";

/** One of the two clusters, with what can be killed in it. */
export interface SoakSide extends Side {
  readonly victims: Victims;
  readonly ends: Ends;
}

/** Two embedded clusters that run pods, each with operator and agent as processes; `green` is the host of migrations. */
export interface SoakWorld {
  readonly blue: SoakSide;
  readonly green: SoakSide;
  readonly folder: string;
  /** The folder of the volume that is backed up. */
  readonly volume: string;
  close(): Promise<void>;
}

/** The namespace and the name of the pod whose volume is backed up. */
export const app = "soaked";
const base = "location,backup,restore,backup-repo,backup-sync,backup-deletion";

/** Opens the world for one mover. */
export async function openSoakWorld(uploader: Uploader): Promise<SoakWorld> {
  const folder = mkdtempSync(join(tmpdir(), "soak-"));
  mkdirSync(join(folder, "shared"));
  const open = async (name: "blue" | "green", controllers: string): Promise<SoakSide> => {
    const side = await embeddedSide(name, folder);
    mkdirSync(join(folder, `${name}-store`));
    await prepareServer(side.client, server, join(folder, `${name}-store`));
    const own = { namespace: server, folder: join(folder, `${name}-own`), uploader, controllers };
    const victims = new Victims(side, own);
    await agentShows({ client: side.client, namespace: server, node: side.node });
    return { ...side, victims, ends: new Ends(side.client, server) };
  };
  const blue = await open("blue", `${base},actionset`);
  const green = await open("green", `${base},migration`);
  await describeWorld({ blue, green, home: green }, join(folder, "shared"));
  const volume = folderOf(blue, await makePod(blue));
  return {
    blue,
    green,
    folder,
    volume,
    async close() {
      for (const side of [blue, green]) {
        await side.ends.close();
        await side.victims.close();
        await side.close([], server);
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Where the volume of a pod lies on the machine. */
export function folderOf(side: Side, podUid: string): string {
  return join(side.podsDir, podUid, "volumes", "kubernetes.io~empty-dir", "data");
}

/** The uid of the application's pod in a namespace, once it runs. */
export async function runningPod(side: Side, namespace: string): Promise<string> {
  const pod = await eventually(
    () => side.client.get<KubeObject & PodObject>(resources.pods, "web", { namespace }),
    ({ status }) => status?.phase === "Running",
    120_000,
  );
  return pod.metadata.uid ?? "";
}

async function makePod(side: Side): Promise<string> {
  await ensureNamespace(side.client, app);
  await side.client.create(resources.pods, {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "web", namespace: app, annotations: { "backup.velero.io/backup-volumes": "data" } },
    spec: {
      terminationGracePeriodSeconds: 0,
      automountServiceAccountToken: false,
      containers: [
        {
          name: "c",
          image: side.image,
          command: ["sh", "-c", "sleep 100000"],
          volumeMounts: [{ name: "data", mountPath: "/data" }],
        },
      ],
      volumes: [{ name: "data", emptyDir: {} }],
    },
  });
  return runningPod(side, app);
}
