import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { DataDownload, DataUpload, KubeObject } from "../../../src/api/index.ts";
import { readVolume } from "../../../src/kinds/index.ts";
import { builtIn } from "../../../src/kube/index.ts";
import { track } from "../../../src/progress/index.ts";
import { eventually } from "../../harness/eventually.ts";
import type { FolderStorage } from "../../harness/folder-storage.ts";
import * as movement from "../../harness/movement-world.ts";
import type { NodeWorld } from "../../harness/node-world.ts";
import { fillTree, treeLines } from "../../harness/tree.ts";

const skip = movement.noMovement();

describe.skipIf(skip)(`data of snapshots moves ${skip ?? ""}`, () => {
  let world: NodeWorld;
  let storage: FolderStorage;
  let place: movement.MovementPlace;
  let space: string;
  let opened: movement.MovementWorld | undefined;

  beforeAll(async () => {
    opened = await movement.openMovementWorld();
    ({ world, storage, place, space } = opened);
  });
  afterAll(async () => {
    await opened?.close();
  });

  test("out of a snapshot and back into a new claim, byte for byte, and nothing is left", {
    timeout: 180_000,
  }, async () => {
    const { client } = world;
    const volume = await movement.boundClaim(place, space, "data");
    const bytes = fillTree(storage.folderOf(volume), [3_000_000, 17, 0, 65_536]);
    const before = treeLines(storage.folderOf(volume));
    const snapshot = await movement.takeSnapshot(place, space, "data");
    const backup = await movement.asker(place, "Backup");
    const upload = await movement.newUpload(place, backup, { namespace: space, claim: "data", snapshot });
    const out = await movement.endOf(place, upload);
    expect(out.status).toMatchObject({
      phase: "Completed",
      acceptedByNode: world.node,
      node: world.node,
      nodeOS: "linux",
      path: `/${upload.metadata.uid}`,
      progress: { totalBytes: bytes, bytesDone: bytes },
      snapshotID: expect.stringMatching(/^[0-9a-f]{32}$/),
      startTimestamp: expect.any(String),
      completionTimestamp: expect.any(String),
      acceptedTimestamp: expect.any(String),
    });
    expect(out.metadata.finalizers ?? []).toEqual([]);
    expect(out.metadata.labels?.["velero.io/expose-on-going"]).toBeUndefined();
    expect(Object.keys(out.metadata.annotations ?? {})).toEqual(["headway.dev/steps"]);
    expect(stepsOf(out)).toEqual([
      "taken completed",
      "ready completed",
      "claim completed",
      "pod completed",
      "copy completed",
      "cleanup completed",
    ]);
    expect(await movement.leftovers(place)).toEqual([]);
    await eventually(
      () => storage.contents(),
      (found) => found.every((name) => name === volume),
    );

    await client.delete(builtIn.claims, "data", { namespace: space });
    await movement.waitingClaim(place, space, "again");
    const restore = await movement.asker(place, "Restore");
    const from = {
      snapshotID: out.status?.snapshotID ?? "",
      sourceNamespace: space,
      snapshotSize: bytes,
    };
    const download = await movement.newDownload(place, restore, { namespace: space, claim: "again" }, from);
    const back = await movement.endOf(place, download);
    expect(back.status).toMatchObject({
      phase: "Completed",
      progress: { totalBytes: bytes, bytesDone: bytes },
    });
    expect(stepsOf(back)).toEqual([
      "claim completed",
      "pod completed",
      "copy completed",
      "rebind completed",
      "cleanup completed",
    ]);
    type Claim = KubeObject & { spec: { volumeName: string }; status: { phase: string } };
    const claim = await client.get<Claim>(builtIn.claims, "again", { namespace: space });
    expect(claim.status.phase).toBe("Bound");
    expect(treeLines(storage.folderOf(claim.spec.volumeName))).toEqual(before);
    type Volume = KubeObject & {
      spec: { persistentVolumeReclaimPolicy: string; claimRef: { name: string } };
    };
    const bound = await client.get<Volume>(builtIn.volumes, claim.spec.volumeName);
    expect(bound.spec).toMatchObject({
      persistentVolumeReclaimPolicy: "Delete",
      claimRef: { name: "again" },
    });
    expect(bound.metadata.labels).toHaveProperty(["velero.io/dynamic-pv-restore"]);
    expect(await movement.leftovers(place)).toEqual([]);
    await eventually(
      () => storage.contents(),
      (found) => found.length === 1,
    );
  });
});

/** The steps of a movement that is over, in order; each that was noted lies within the whole. */
function stepsOf(one: DataUpload | DataDownload): readonly string[] {
  const { operation } = track(undefined, readVolume(one), Date.now());
  const times = operation.children.flatMap(({ startedAt = 0, finishedAt = 0 }) =>
    startedAt > 0 ? [startedAt, finishedAt] : [],
  );
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  expect(times.length).toBeGreaterThanOrEqual(6);
  return operation.children.map(({ id, state }) => `${id} ${state}`);
}
