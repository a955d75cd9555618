import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { DataUpload } from "../../../src/api/index.ts";
import { readVolume } from "../../../src/kinds/index.ts";
import { builtIn } from "../../../src/kube/index.ts";
import { eventually } from "../../harness/eventually.ts";
import type { FolderStorage } from "../../harness/folder-storage.ts";
import * as movement from "../../harness/movement-world.ts";
import type { NodeWorld } from "../../harness/node-world.ts";
import { fillTree } from "../../harness/tree.ts";

const skip = movement.noMovement();
const uploads = {
  group: "velero.io",
  version: "v2alpha1",
  plural: "datauploads",
  kind: "DataUpload",
  namespaced: true,
};

describe.skipIf(skip)(`data movement in trouble ${skip ?? ""}`, { timeout: 180_000 }, () => {
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

  async function snapshotted(claim: string, sizes: readonly number[] = []): Promise<string> {
    const volume = await movement.boundClaim(place, space, claim);
    if (sizes.length > 0) fillTree(storage.folderOf(volume), sizes);
    return movement.takeSnapshot(place, space, claim);
  }

  async function uploaded(claim: string, more: object = {}, phase?: string): Promise<DataUpload> {
    const snapshot = await snapshotted(claim);
    const backup = await movement.asker(place, "Backup", phase);
    return movement.newUpload(place, backup, { namespace: space, claim, snapshot }, more);
  }

  test("a volume of 0 bytes is a whole copy without numbers", async () => {
    const { status } = await movement.endOf(place, await uploaded("empty"));
    expect(status).toMatchObject({ phase: "Completed", snapshotID: expect.any(String) });
    expect(status?.progress ?? {}).toEqual({});
    expect(await movement.leftovers(place)).toEqual([]);
  });

  test("what nobody waits for, and what is for another mover, is left alone", async () => {
    const refused = await uploaded("refused", {}, "Completed");
    const foreign = await uploaded("foreign", { datamover: "other", dataMoverConfig: { unknown: "x" } });
    const seen = await eventually(
      () => movement.now(place, refused),
      ({ status }) => status?.message !== undefined,
    );
    expect(seen.status).toEqual({ message: expect.stringContaining("is Completed, not InProgress") });
    expect((await movement.now(place, foreign)).status ?? {}).toEqual({});
    for (const { metadata } of [refused, foreign]) {
      await world.client.delete(uploads, metadata.name, { namespace: place.namespace });
    }
    for (const { metadata } of await world.client.list(builtIn.snapshots, { namespace: space })) {
      await world.client.delete(builtIn.snapshots, metadata.name, { namespace: space });
    }
    await eventually(
      () => movement.leftovers(place),
      (found) => found.length === 0,
    );
  });

  test("a snapshot that is never ready and a claim that is never bound are told, and a cancel leaves nothing", async () => {
    const backup = await movement.asker(place, "Backup");
    const unbound = await snapshotted("unbound");
    await movement.boundClaim(place, space, "unready");
    await eventually(
      () =>
        world.client.get<{ status?: { readyToUse?: boolean } } & DataUpload>(builtIn.snapshots, unbound, {
          namespace: space,
        }),
      ({ status }) => (status as { readyToUse?: boolean } | undefined)?.readyToUse === true,
    );
    storage.holds.volumes = true;
    const waitsForClaim = await movement.newUpload(place, backup, {
      namespace: space,
      claim: "unbound",
      snapshot: unbound,
    });
    await eventually(
      () => movement.leftovers(place),
      (found) => found.some((one) => one.startsWith("Pod")),
    );
    storage.holds.snapshots = true;
    const unready = await movement.takeSnapshot(place, space, "unready");
    const waitsForSnapshot = await movement.newUpload(place, backup, {
      namespace: space,
      claim: "unready",
      snapshot: unready,
    });
    const since = Date.now();
    const told = async (upload: DataUpload) => {
      const { signals, waitingFor } = readVolume(await movement.now(place, upload));
      return { causes: signals?.causes, waits: waitingFor?.message };
    };
    const [first, second] = await Promise.all([
      eventually(
        () => told(waitsForClaim),
        ({ causes }) => causes?.includes("volume-not-bound") === true,
      ),
      eventually(
        () => told(waitsForSnapshot),
        ({ causes }) => causes?.includes("snapshot-not-ready") === true,
      ),
    ]);
    expect(Date.now() - since).toBeLessThan(40_000);
    expect(first.waits).toContain(`the claim ${waitsForClaim.metadata.name} to be bound`);
    expect(second.waits).toContain(`the snapshot ${space}/${unready} to be ready`);
    const body = { spec: { cancel: true } };
    for (const { metadata } of [waitsForClaim, waitsForSnapshot]) {
      await world.client.patch(
        uploads,
        metadata.name,
        { type: "merge", body },
        { namespace: place.namespace },
      );
    }
    storage.holds.snapshots = false;
    storage.holds.volumes = false;
    for (const upload of [waitsForClaim, waitsForSnapshot]) {
      const { status, metadata } = await movement.endOf(place, upload);
      expect(status).toMatchObject({ phase: "Canceled", completionTimestamp: expect.any(String) });
      expect(metadata.finalizers ?? []).toEqual([]);
      expect(Object.keys(metadata.annotations ?? {})).toEqual(["headway.dev/steps"]);
    }
    await eventually(
      () => movement.leftovers(place),
      (found) => found.length === 0,
    );
  });

  test("a claim that goes away before it gets its volume fails the restore, and the storage gets the volume back", async () => {
    const snapshot = await snapshotted("source", [100_000]);
    const backup = await movement.asker(place, "Backup");
    const out = await movement.endOf(
      place,
      await movement.newUpload(place, backup, { namespace: space, claim: "source", snapshot }),
    );
    const kept = storage.contents();
    storage.holds.volumes = true;
    await movement.waitingClaim(place, space, "target");
    const restore = await movement.asker(place, "Restore");
    const from = { snapshotID: out.status?.snapshotID ?? "", sourceNamespace: space };
    const download = await movement.newDownload(place, restore, { namespace: space, claim: "target" }, from);
    await eventually(
      () => movement.leftovers(place),
      (found) => found.some((one) => one.startsWith("Pod")),
    );
    await world.client.delete(builtIn.claims, "target", { namespace: space });
    storage.holds.volumes = false;
    const { status } = await movement.endOf(place, download);
    expect(status).toMatchObject({ phase: "Failed", message: `the claim "${space}/target" is gone` });
    expect(await movement.leftovers(place)).toEqual([]);
    await eventually(
      () => storage.contents(),
      (found) => found.length <= kept.length,
    );
  });
});
