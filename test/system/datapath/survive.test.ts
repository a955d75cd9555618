import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { DataDownload, DataUpload, KubeObject } from "../../../src/api/index.ts";
import { builtIn } from "../../../src/kube/index.ts";
import { killHard, moversOf, signalAll, spawnAgent } from "../../harness/agent-process.ts";
import { eventually } from "../../harness/eventually.ts";
import type { FolderStorage } from "../../harness/folder-storage.ts";
import * as movement from "../../harness/movement-world.ts";
import { agentShows, type NodeWorld } from "../../harness/node-world.ts";
import { fillTree, treeLines } from "../../harness/tree.ts";

const skip = movement.noMovement();
const mb = 1_000_000;

describe.skipIf(skip)(`data movement survives ${skip ?? ""}`, { timeout: 240_000 }, () => {
  let world: NodeWorld;
  let storage: FolderStorage;
  let place: movement.MovementPlace;
  let agent: ReturnType<typeof spawnAgent>;
  let space: string;
  let opened: movement.MovementWorld | undefined;

  const start = () => {
    const { kubeconfig, namespace, node, hostPods, folder } = world;
    return spawnAgent({ kubeconfig, namespace, node, hostPods, stateDir: join(folder, "agent-state") });
  };
  const movers = () => moversOf(`agent:${join(world.folder, "agent-state")}`);

  beforeAll(async () => {
    opened = await movement.openMovementWorld(false);
    ({ world, storage, place, space } = opened);
    agent = start();
    await agentShows(world);
  });
  afterAll(async () => {
    if (agent) await killHard(agent);
    signalAll(movers(), "SIGKILL");
    await opened?.close();
  });

  const copying = (one: DataUpload | DataDownload) =>
    eventually(
      () => movement.now(place, one),
      ({ status }) => status?.phase === "InProgress" && movers().length > 0,
    );

  test("the agent, its mover and the pod are killed on the way out, the agent again on the way back", async () => {
    const volume = await movement.boundClaim(place, space, "data");
    const bytes = fillTree(storage.folderOf(volume), [60 * mb, 40 * mb, 17]);
    const before = treeLines(storage.folderOf(volume));
    const snapshot = await movement.takeSnapshot(place, space, "data");
    const backup = await movement.asker(place, "Backup");
    const upload = await movement.newUpload(place, backup, { namespace: space, claim: "data", snapshot });

    await copying(upload);
    await killHard(agent);
    agent = start();
    await copying(upload);
    signalAll(movers(), "SIGKILL");
    await eventually(movers, (found) => found.length > 0);
    await world.client.delete(builtIn.pods, upload.metadata.name, { namespace: place.namespace });
    const out = await movement.endOf(place, upload, 120_000);
    expect(out.status).toMatchObject({
      phase: "Completed",
      progress: { totalBytes: bytes, bytesDone: bytes },
    });
    expect(await movement.leftovers(place)).toEqual([]);

    await movement.waitingClaim(place, space, "again");
    const restore = await movement.asker(place, "Restore");
    const from = { snapshotID: out.status?.snapshotID ?? "", sourceNamespace: space, snapshotSize: bytes };
    const download = await movement.newDownload(place, restore, { namespace: space, claim: "again" }, from);
    await eventually(
      () => movement.now(place, download),
      ({ status }) => status?.phase === "InProgress",
    );
    await killHard(agent);
    agent = start();
    const back = await movement.endOf(place, download, 120_000);
    expect(back.status).toMatchObject({ phase: "Completed" });
    type Claim = KubeObject & { spec: { volumeName: string } };
    const claim = await world.client.get<Claim>(builtIn.claims, "again", { namespace: space });
    expect(treeLines(storage.folderOf(claim.spec.volumeName))).toEqual(before);
    expect(await movement.leftovers(place)).toEqual([]);
    await eventually(
      () => storage.contents(),
      (found) => found.length === 2, // the two claims' own volumes
    );
  });
});
