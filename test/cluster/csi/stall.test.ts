import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readVolume } from "../../../src/kinds/index.ts";
import { builtIn } from "../../../src/kube/index.ts";
import { killHard, spawnAgent } from "../../harness/agent-process.ts";
import { eventually } from "../../harness/eventually.ts";
import * as movement from "../../harness/movement-world.ts";
import { agentShows, type NodeWorld, openNodeWorld } from "../../harness/node-world.ts";

// What only a real scheduler and a real kubelet refuse: told with its cause within a minute, and nothing is left after a cancel.

const storageClass = process.env["HEADWAY_CSI_CLASS"] ?? "";
const snapshotClass = process.env["HEADWAY_CSI_SNAPSHOT_CLASS"] ?? "";
const skip = storageClass === "" || snapshotClass === "" ? "no CSI driver: test/parts/csi up" : undefined;
const uploads = {
  group: "velero.io",
  version: "v2alpha1",
  plural: "datauploads",
  kind: "DataUpload",
  namespaced: true,
};

describe.skipIf(skip)(
  `a movement whose pod does not start says why ${skip ?? ""}`,
  { timeout: 240_000 },
  () => {
    let world: NodeWorld;
    let place: movement.MovementPlace;
    const space = `csi-stall-${crypto.randomUUID().slice(0, 8)}`;

    beforeAll(async () => {
      world = await openNodeWorld("kopia", false, { controllers: ["location", "backup-repo"] });
      const { client, namespace } = world;
      place = { client, namespace, storageClass, snapshotClass, space };
      const affinity = [{ nodeSelector: { matchLabels: { "test.example/nowhere": "yes" } } }];
      await client.create(builtIn.configMaps, {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: "nowhere", namespace },
        data: { config: JSON.stringify({ loadAffinity: affinity }) },
      });
      await movement.boundClaim(place, space, "data");
    });
    afterAll(async () => {
      await world?.client.delete(builtIn.namespaces, space).catch(() => undefined);
      await world?.close();
    });

    test.each([
      ["no image", { "pod-image": "registry.invalid/none:1" }, "image-pull", "its image cannot be pulled"],
      ["no node", { "node-agent-configmap": "nowhere" }, "pod-pending", "a node for the pod"],
    ])("%s", async (_name, flags, cause, words) => {
      const { kubeconfig, namespace, node, hostPods, folder, client } = world;
      const before = await movement.leftovers(place);
      const stateDir = join(folder, "agent-state");
      const agent = spawnAgent({ kubeconfig, namespace, node, hostPods, stateDir, flags });
      try {
        await agentShows(world);
        const snapshot = await movement.takeSnapshot(place, space, "data");
        const backup = await movement.asker(place, "Backup");
        const source = { namespace: space, claim: "data", snapshot };
        const upload = await movement.newUpload(place, backup, source);
        const told = await eventually(
          async () => readVolume(await movement.now(place, upload)),
          ({ signals }) => signals?.causes?.some((one) => one === cause) === true,
          60_000,
        );
        expect(told.waitingFor?.message).toContain(words);
        const body = { spec: { cancel: true } };
        await client.patch(uploads, upload.metadata.name, { type: "merge", body }, { namespace });
        expect((await movement.endOf(place, upload)).status?.phase).toBe("Canceled");
        expect((await movement.leftovers(place)).filter((one) => !before.includes(one))).toEqual([]);
      } finally {
        await killHard(agent);
      }
    });
  },
);
