import { rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Backup } from "../../../src/api/index.ts";
import { tarNames } from "../../harness/backup-stage.ts";
import { CsiWorld } from "../../harness/csi-world.ts";

let world: CsiWorld;
beforeAll(async () => {
  world = await CsiWorld.open();
  world.stage.operator(undefined, ["backup", "restore", "backup-deletion"]);
});
afterAll(() => world.close());

function results(name: string): string {
  return JSON.stringify(world.stage.json(name, `${name}-results.gz`));
}

test("a claim is snapshotted, comes back with its bytes after its namespace is gone, and leaves nothing when the backup goes", async () => {
  const { stage } = world;
  const shop = await stage.app("shop");
  const folder = await world.claim(shop, "data", "hello");
  const before = await world.volume(shop, "data");
  await stage.create("b1", { includedNamespaces: [shop] });
  const { status } = await stage.ended("b1");
  expect(status, results("b1").slice(0, 2000)).toMatchObject({
    phase: "Completed",
    csiVolumeSnapshotsAttempted: 1,
    csiVolumeSnapshotsCompleted: 1,
    backupItemOperationsAttempted: 1,
    backupItemOperationsCompleted: 1,
  });
  // The cluster forgets the snapshot, and the storage keeps it.
  await world.settled(folder, 0, 1);
  const entries = tarNames(stage.read("b1", "b1.tar.gz"));
  for (const type of ["volumesnapshots", "volumesnapshotcontents", "volumesnapshotclasses"])
    expect(entries.join("\n")).toContain(`resources/${type}.snapshot.storage.k8s.io/`);
  expect(stage.json("b1", "b1-itemoperations.json.gz")).toMatchObject([
    {
      spec: { backupItemAction: "velero.io/csi-volumesnapshot-backupper", postOperationItems: [{}, {}] },
      status: { phase: "Completed" },
    },
  ]);
  expect(stage.json("b1", "b1-volumeinfo.json.gz")).toMatchObject([
    {
      pvcName: "data",
      pvName: before.metadata.name,
      backupMethod: "CSISnapshot",
      preserveLocalSnapshot: true,
      result: "succeeded",
      csiSnapshotInfo: { driver: "csi.headway.dev", snapshotHandle: expect.stringContaining("snap-") },
      pvInfo: { reclaimPolicy: "Delete" },
    },
  ]);
  await world.dropNamespace(shop);
  const restored = await world.restore("r1", "b1");
  expect(restored.status).toMatchObject({ phase: "Completed" });
  expect(await world.text(shop, "data")).toBe("hello");
  expect((await world.bound(shop, "data")).spec?.dataSource?.name).toMatch(/^[0-9a-f]{64}$/);
  // A second restore beside the first, into another namespace.
  const twin = `${shop}-twin`;
  expect((await world.restore("r2", "b1", { namespaceMapping: { [shop]: twin } })).status).toMatchObject({
    phase: "Completed",
  });
  expect(await world.text(twin, "data")).toBe("hello");
  expect(await world.delete("b1")).toEqual([]);
  // Restored snapshots stay in the cluster, as upstream has it; the storage's own goes with the backup.
  await world.settled(folder, 4, 0);
  expect(await world.text(shop, "data"), "restored volumes stay").toBe("hello");
});

test("a restore without volumes gets an empty one, and brings no snapshots back", async () => {
  const { stage } = world;
  const shop = await stage.app("bare");
  const folder = await world.claim(shop, "data", "hello");
  const before = await world.objects();
  await stage.create("b2", { includedNamespaces: [shop] });
  expect((await stage.ended("b2")).status).toMatchObject({ phase: "Completed" });
  await world.dropNamespace(shop);
  await world.settled(folder, before, 1);
  const { status } = await world.restore("r3", "b2", { restorePVs: false });
  expect(status?.phase).toBe("Completed");
  expect((await world.bound(shop, "data")).spec?.dataSource).toBeUndefined();
  expect(await world.objects()).toBe(before);
  expect(await world.delete("b2")).toEqual([]);
  await world.settled(folder, before, 0);
});

test("a handle that the driver does not know is told by the restore, with the driver's own words", async () => {
  const { stage } = world;
  const shop = await stage.app("lost");
  const folder = await world.claim(shop, "data", "hello");
  await stage.create("b3", { includedNamespaces: [shop] });
  await stage.ended("b3");
  await world.dropNamespace(shop);
  const [handle = ""] = await world.kept(folder);
  await rm(join(dirname(dirname(folder)), "snapshots", handle), { recursive: true });
  const { status } = await world.restore("r4", "b3");
  expect(status).toMatchObject({ phase: "PartiallyFailed", errors: 1 });
  expect(await world.delete("b3")).toEqual([]);
}, 90_000);

test.each([
  ["fails", "fail", "the pool is full"],
  ["hangs", "hang", "did not answer"],
  ["lies about readiness", "lie", "did not answer"],
])("a driver that %s makes the backup partial, says why, and leaves nothing", async (_name, fault, words) => {
  const { stage } = world;
  const shop = await stage.app(`bad-${fault}`);
  await world.faulty(`class-${fault}`, fault);
  const annotations = { "velero.io/csi-volumesnapshot-class": `class-${fault}` };
  const folder = await world.claim(shop, "data", "x", { annotations });
  const before = [await world.objects(), (await world.kept(folder)).length] as const;
  await stage.create(`b-${fault}`, { includedNamespaces: [shop], csiSnapshotTimeout: "3s" });
  expect((await stage.ended(`b-${fault}`)).status).toMatchObject({ phase: "PartiallyFailed", errors: 1 });
  expect(results(`b-${fault}`)).toContain(words);
  await world.settled(folder, ...before);
});

test("a snapshot that never becomes ready fails at the operation's limit", async () => {
  const { stage } = world;
  const shop = await stage.app("never");
  await world.faulty("class-never", "never-ready");
  const annotations = { "velero.io/csi-volumesnapshot-class": "class-never" };
  const folder = await world.claim(shop, "data", "x", { annotations });
  const before = [await world.objects(), (await world.kept(folder)).length] as const;
  await stage.create("b-never", { includedNamespaces: [shop], itemOperationTimeout: "3s" });
  const { status } = await stage.ended("b-never");
  expect(status).toMatchObject({ phase: "PartiallyFailed", backupItemOperationsFailed: 1 });
  expect(results("b-never")).toContain("not ready within 3 s");
  await world.settled(folder, ...before);
});

test("200 claims at once are all snapshotted", async () => {
  const { stage } = world;
  const shop = await stage.app("many");
  const [first = ""] = await Promise.all(
    Array.from({ length: 200 }, (_, i) => world.claim(shop, `data-${i}`, String(i))),
  );
  const [objects, kept] = [await world.objects(), (await world.kept(first)).length];
  await stage.create("b-many", { includedNamespaces: [shop] });
  const { status }: Backup = await stage.ended("b-many", 120_000);
  expect(status, results("b-many").slice(0, 2000)).toMatchObject({
    phase: "Completed",
    csiVolumeSnapshotsCompleted: 200,
  });
  await world.settled(first, objects, kept + 200);
  expect(await world.delete("b-many")).toEqual([]);
  await world.settled(first, objects, kept);
}, 300_000);
