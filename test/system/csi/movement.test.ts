import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import {
  type DataDownload,
  type DataUpload,
  type KubeObject,
  kinds,
  type Restore,
} from "../../../src/api/index.ts";
import { builtIn, resourceOf } from "../../../src/kube/index.ts";
import { tarNames } from "../../harness/backup-stage.ts";
import { CsiWorld } from "../../harness/csi-world.ts";
import { eventually } from "../../harness/eventually.ts";
import { playMover } from "../../harness/scripted-mover.ts";

const uploads = resourceOf(kinds.DataUpload);
const downloads = resourceOf(kinds.DataDownload);

let world: CsiWorld;
let stops: (() => Promise<void>)[] = [];
beforeAll(async () => {
  world = await CsiWorld.open();
  world.stage.operator(undefined, ["backup", "restore", "backup-deletion"]);
});
afterEach(async () => {
  for (const stop of stops) await stop();
  stops = [];
});
afterAll(() => world.close());

test("moved data: a DataUpload for the claim, its end in the archive, and a DataDownload into a claim that waits for it", async () => {
  const { stage } = world;
  const { client, namespace } = stage;
  const shop = await stage.app("moved");
  const folder = await world.claim(shop, "data", "hello");
  stops.push(playMover(client, namespace, { folder: join(stage.folder, "mover") }));
  await stage.create("m1", {
    includedNamespaces: [shop],
    snapshotMoveData: true,
    csiSnapshotTimeout: "5m0s",
  });
  const { status } = await stage.ended("m1");
  expect(status).toMatchObject({
    phase: "Completed",
    backupItemOperationsAttempted: 1,
    backupItemOperationsCompleted: 1,
  });
  expect(status).not.toHaveProperty("csiVolumeSnapshotsAttempted");
  const [upload] = await client.list<DataUpload>(uploads, { namespace });
  expect(upload).toMatchObject({
    metadata: {
      labels: {
        "velero.io/backup-name": "m1",
        "velero.io/async-operation-id": expect.stringMatching(/^du-.{60}$/),
      },
      ownerReferences: [{ kind: "Backup", name: "m1", controller: true }],
    },
    spec: {
      snapshotType: "CSI",
      csiSnapshot: { storageClass: "csi-folder", snapshotClass: "csi-folder", driver: "csi.headway.dev" },
      sourcePVC: "data",
      sourceNamespace: shop,
      backupStorageLocation: "default",
      operationTimeout: "5m0s",
    },
  });
  const entries = tarNames(stage.read("m1", "m1.tar.gz")).join("\n");
  expect(entries).toContain("resources/datauploads.velero.io/");
  expect(entries).not.toContain("volumesnapshot");
  expect(stage.json("m1", "m1-volumeinfo.json.gz")).toMatchObject([
    {
      snapshotDataMoved: true,
      preserveLocalSnapshot: false,
      snapshotDataMovementInfo: { dataMover: "velero", uploaderType: "kopia", size: 100, Phase: "Completed" },
    },
  ]);
  await world.settled(folder, 0, 0);
  await world.dropNamespace(shop);
  const restored = await world.restore("mr1", "m1");
  expect(restored.status).toMatchObject({
    phase: "Completed",
    restoreItemOperationsAttempted: 1,
    restoreItemOperationsCompleted: 1,
  });
  expect(await world.text(shop, "data")).toBe("moved 0123456789abcdef0123456789abcdef");
  const { spec } = await world.bound(shop, "data");
  expect(spec?.selector?.matchLabels).toEqual({
    "velero.io/dynamic-pv-restore": expect.stringMatching(new RegExp(`^${shop}\\.data\\.[0-9a-f]{5}$`)),
  });
  expect((await world.volume(shop, "data")).spec?.persistentVolumeReclaimPolicy, "as before").toBe("Delete");
  const [download] = await client.list<DataDownload>(downloads, { namespace });
  expect(download?.spec).toMatchObject({
    targetVolume: { pvc: "data", pv: "", namespace: shop },
    snapshotID: "0123456789abcdef0123456789abcdef",
    sourceNamespace: shop,
    operationTimeout: "5m0s",
    snapshotSize: 100,
  });
});

test("an upload that fails makes the backup partial with the mover's words, and a restore of it says so", async () => {
  const { stage } = world;
  const shop = await stage.app("unmoved");
  const folder = await world.claim(shop, "data", "hello");
  stops.push(
    playMover(stage.client, stage.namespace, {
      folder: join(stage.folder, "mover"),
      end: "Failed",
    }),
  );
  await stage.create("m2", { includedNamespaces: [shop], snapshotMoveData: true });
  expect((await stage.ended("m2")).status).toMatchObject({
    phase: "PartiallyFailed",
    errors: 1,
    backupItemOperationsFailed: 1,
  });
  expect(JSON.stringify(stage.json("m2", "m2-results.gz"))).toContain("no space left");
  await world.settled(folder, 0, 0);
});

test("nobody moves the data: the backup waits, shows it, and a cancel stops it and takes everything away", async () => {
  const { stage } = world;
  const { client, namespace } = stage;
  const shop = await stage.app("waiting");
  const folder = await world.claim(shop, "data", "hello");
  await stage.create("m3", { includedNamespaces: [shop], snapshotMoveData: true });
  await eventually(
    () => stage.get("m3"),
    ({ status }) => status?.phase === "WaitingForPluginOperations",
  );
  expect((await stage.get("m3")).status).toMatchObject({ backupItemOperationsAttempted: 1 });
  const labelSelector = "velero.io/backup-name=m3";
  await eventually(
    () => client.list<DataUpload>(uploads, { namespace, labelSelector }),
    (all) => all.length === 1,
  );
  const backups = resourceOf(kinds.Backup);
  const body = { metadata: { annotations: { "headway.dev/cancel": "true" } } };
  await client.patch(backups, "m3", { type: "merge", body }, { namespace });
  expect((await stage.ended("m3")).status).toMatchObject({
    phase: "Failed",
    failureReason: "canceled by request",
  });
  const [upload] = await client.list<DataUpload>(uploads, { namespace, labelSelector });
  expect(upload?.spec?.cancel).toBe(true);
  expect(stage.files("m3")).toEqual([]);
  await world.settled(folder, 0, 0);
});

test("a restore that only waits for its data lets the next one begin", async () => {
  const { stage } = world;
  const { client, namespace } = stage;
  const shop = await stage.app("slow");
  const other = await stage.app("quick");
  const folder = await world.claim(shop, "data", "hello");
  const stopMover = playMover(client, namespace, { folder: join(stage.folder, "mover") });
  await stage.create("m5", { includedNamespaces: [shop], snapshotMoveData: true });
  await stage.create("m6", { includedNamespaces: [other] });
  expect((await stage.ended("m5")).status?.phase).toBe("Completed");
  expect((await stage.ended("m6")).status?.phase).toBe("Completed");
  await stopMover();
  await world.settled(folder, 0, 0);
  await world.dropNamespace(shop);
  await world.dropNamespace(other);
  const restores = resourceOf(kinds.Restore);
  await client.create(restores, {
    apiVersion: "velero.io/v1",
    kind: "Restore",
    metadata: { name: "slow", namespace },
    spec: { backupName: "m5" },
  });
  const slow = () => client.get<Restore>(restores, "slow", { namespace });
  await eventually(slow, ({ status }) => status?.phase === "WaitingForPluginOperations");
  const quick = await world.restore("quick", "m6");
  expect(quick.status?.phase).toBe("Completed");
  expect((await slow()).status?.phase, "nobody moves its data").toBe("WaitingForPluginOperations");
  stops.push(playMover(client, namespace, { folder: join(stage.folder, "mover") }));
  expect((await world.restored("slow")).status?.phase).toBe("Completed");
});

test("many claims at once are moved, no more than 20 snapshots on their way at a time, and nothing is left", async () => {
  const { stage } = world;
  const { client, namespace } = stage;
  const shop = await stage.app("crowd");
  const [first = ""] = await Promise.all(
    Array.from({ length: 50 }, (_, i) => world.claim(shop, `data-${i}`, String(i))),
  );
  const [objects, kept] = [await world.objects(), (await world.kept(first)).length];
  stops.push(playMover(client, namespace, { folder: join(stage.folder, "mover") }));
  type Snapshot = KubeObject & { readonly status?: { readonly boundVolumeSnapshotContentName?: string } };
  let [looks, most] = [0, 0];
  const count = async () => {
    const all = await client.list<Snapshot>(builtIn.snapshots, { namespace: shop });
    const taking = all.filter(({ status }) => !status?.boundVolumeSnapshotContentName).length;
    [looks, most] = [looks + 1, Math.max(most, taking)];
    return stage.get("m7");
  };
  await stage.create("m7", { includedNamespaces: [shop], snapshotMoveData: true });
  const { status } = await eventually(
    count,
    (backup) => /^(Completed|PartiallyFailed|Failed)$/.test(backup.status?.phase ?? ""),
    240_000,
  );
  expect(status).toMatchObject({ phase: "Completed", backupItemOperationsCompleted: 50 });
  expect(looks).toBeGreaterThan(3);
  expect(most).toBeLessThanOrEqual(20);
  const query = { namespace, labelSelector: "velero.io/backup-name=m7" };
  expect(await client.list<DataUpload>(uploads, query)).toHaveLength(50);
  await world.settled(first, objects, kept);
}, 300_000);

test("an upload that takes longer than the item operation timeout is canceled and has failed", async () => {
  const { stage } = world;
  const shop = await stage.app("late");
  await world.claim(shop, "data", "hello");
  await stage.create("m4", {
    includedNamespaces: [shop],
    snapshotMoveData: true,
    itemOperationTimeout: "3s",
  });
  expect((await stage.ended("m4")).status).toMatchObject({
    phase: "PartiallyFailed",
    backupItemOperationsFailed: 1,
  });
  const query = { namespace: stage.namespace, labelSelector: "velero.io/backup-name=m4" };
  const [upload] = await stage.client.list<DataUpload>(uploads, query);
  expect(upload?.spec?.cancel).toBe(true);
});
