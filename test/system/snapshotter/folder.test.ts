import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type Backup,
  cancelAnnotation,
  type KubeObject,
  kinds,
  type VolumePluginBackup,
} from "../../../src/api/index.ts";
import { isNotFound, resourceOf } from "../../../src/kube/index.ts";
import { BackupStage, core } from "../../harness/backup-stage.ts";
import { eventually } from "../../harness/eventually.ts";
import {
  backupObjects,
  claims,
  folderClaim,
  pluginBackups,
  restored,
  restoreObjects,
  snapshotLocation,
  volumes,
} from "../../harness/snapshot-world.ts";
import { fillTree, treeLines } from "../../harness/tree.ts";

const namespaces = core("namespaces", "Namespace", false);
let stage: BackupStage;
let other: BackupStage | undefined;
let app: string;
let folder: string;
let before: readonly string[];
let bytes: number;

beforeAll(async () => {
  stage = await BackupStage.open();
  app = await stage.app("shop");
  folder = await folderClaim(stage, app, "data");
  bytes = fillTree(folder, [3_000_000, 17, 0, 2_000_000, 65_536]);
  before = treeLines(folder);
  await snapshotLocation(stage, "folders", "folder", {
    path: join(stage.folder, "snapshots"),
    method: "copy",
    bytesPerSecond: "2500000",
  });
  stage.operator();
}, 180_000);
afterAll(async () => {
  await other?.close();
  if (stage.cluster.kind === "real") await stage.client.delete(volumes, `${app}-data`).catch(() => undefined);
  await stage.close();
}, 60_000);

test("a volume is snapshotted with true progress, and what the plugin said is stored with the backup", {
  timeout: 180_000,
}, async () => {
  const { client, namespace } = stage;
  const made = await stage.create("first", { includedNamespaces: [app] });
  const seen: VolumePluginBackup[] = [];
  const end: Backup = await eventually(
    async () => {
      seen.push(...(await backupObjects(stage, made)));
      return stage.get("first");
    },
    ({ status }) => /^(Completed|PartiallyFailed|Failed|FailedValidation)$/.test(status?.phase ?? ""),
    120_000,
  );
  expect(end.status).toMatchObject({
    phase: "Completed",
    volumeSnapshotsAttempted: 1,
    volumeSnapshotsCompleted: 1,
  });
  const shares = seen.map(({ status }) => status?.percent ?? 0);
  expect(shares).toEqual(shares.toSorted((a, b) => a - b));
  expect(shares.some((share) => share > 0 && share < 100)).toBe(true);
  const [object] = await backupObjects(stage, made);
  expect(object).toMatchObject({
    metadata: { name: object?.status?.snapshotID, namespace, ownerReferences: [{ name: "first" }] },
    spec: { volume: `${app}-data`, backup: "first", plugin: "headway.dev/folder" },
    status: { phase: "Completed", percent: 100, progress: { totalBytes: bytes, bytesDone: bytes } },
  });
  expect(stage.json("first", "first-volumepluginbackups.json.gz")).toMatchObject([
    { metadata: { name: object?.metadata.name }, status: object?.status },
  ]);
  expect(stage.json("first", "first-volumesnapshots.json.gz")).toMatchObject([
    {
      spec: {
        location: "folders",
        persistentVolumeName: `${app}-data`,
        providerVolumeID: folder,
        volumeType: "folder",
        volumeAZ: "zone-a",
      },
      status: { phase: "Completed", providerSnapshotID: object?.status?.snapshotID },
    },
  ]);
  expect(stage.json("first", "first-volumeinfo.json.gz")).toMatchObject([
    { pvName: `${app}-data`, backupMethod: "NativeSnapshot", result: "succeeded" },
  ]);
  const stored = join(stage.folder, "snapshots", object?.status?.snapshotID ?? "", "data");
  expect(treeLines(stored)).toEqual(before);
  expect(await client.list(pluginBackups, { namespace })).toHaveLength(1);
});

test("another cluster knows the snapshot, and restores it with all its data", {
  timeout: 180_000,
}, async () => {
  const second = await BackupStage.open({ another: true });
  other = second;
  await second.location("shared", second.namespace, {
    config: { path: stage.folder },
    backupSyncPeriod: "1s",
  });
  await snapshotLocation(second, "folders", "folder", { path: join(stage.folder, "snapshots") });
  second.operator();
  const synced = await eventually(
    () =>
      second.get("first").catch((error: unknown) => (isNotFound(error) ? undefined : Promise.reject(error))),
    (backup) => backup !== undefined,
  );
  if (!synced) throw new Error("the backup was not brought");
  const [here] = await backupObjects(stage, synced);
  const [there] = await eventually(
    () => backupObjects(second, synced),
    (all) => all.length > 0,
  );
  expect(there).toMatchObject({
    metadata: { name: here?.metadata.name },
    spec: here?.spec,
    status: here?.status,
  });
  // A plugin may have something to say after the backup's end.
  const late = { status: { message: "verified later" } };
  const { client, namespace } = stage;
  await client.patch(pluginBackups, here?.metadata.name ?? "", { type: "merge", body: late }, { namespace });
  const end = await restored(second, "again", { backupName: "first" });
  expect(end.status).toMatchObject({ phase: "Completed" });
  const [object] = await restoreObjects(second);
  expect(object).toMatchObject({
    spec: { snapshotID: here?.status?.snapshotID, backup: "first", plugin: "headway.dev/folder" },
    status: {
      phase: "Completed",
      percent: 100,
      progress: { totalBytes: bytes, bytesDone: bytes },
      volumeID: `${app}-data`,
    },
  });
  const path = object?.metadata.annotations?.["headway.dev/plugin-volume"] ?? "";
  expect(path).not.toBe(folder);
  expect(treeLines(path)).toEqual(before);
  expect(await second.client.get(volumes, `${app}-data`)).toMatchObject({ spec: { hostPath: { path } } });
  expect(await second.client.get(claims, "data", { namespace: app })).toMatchObject({
    spec: { volumeName: `${app}-data` },
  });
  const [heard] = await eventually(
    () => backupObjects(second, synced),
    ([one]) => one?.status?.message === "verified later",
  );
  expect(heard).toMatchObject({ spec: here?.spec, status: { ...here?.status, message: "verified later" } });
  expect(stage.json("first", "first-volumepluginbackups.json.gz")).toMatchObject([late]);
});

test("a backup that is canceled while bytes move leaves nothing of the snapshot", {
  timeout: 180_000,
}, async () => {
  const { client, namespace } = stage;
  const before = readdirSync(join(stage.folder, "snapshots"));
  const made = await stage.create("cut", { includedNamespaces: [app] });
  await eventually(
    () => backupObjects(stage, made),
    ([object]) => (object?.status?.progress?.bytesDone ?? 0) > 0,
  );
  const body = { metadata: { annotations: { [cancelAnnotation]: "true" } } };
  await client.patch(resourceOf(kinds.Backup), "cut", { type: "merge", body }, { namespace });
  const end = await stage.ended("cut", 120_000);
  expect(end.status).toMatchObject({ phase: "Failed", failureReason: "canceled by request" });
  const [object] = await backupObjects(stage, made);
  expect(object?.status).toMatchObject({ phase: "Canceled", message: expect.stringContaining("removed") });
  expect(object?.status?.percent ?? 0).toBeLessThan(100);
  expect(readdirSync(join(stage.folder, "snapshots"))).toEqual(before);
});

test("a copy beside the original has a volume of its own, and says its name", {
  timeout: 180_000,
}, async () => {
  const { client } = stage;
  const copy = `${app}-copy`;
  const end = await restored(stage, "beside", { backupName: "first", namespaceMapping: { [app]: copy } });
  expect(end.status).toMatchObject({ phase: "Completed" });
  const object = (await restoreObjects(stage)).find(({ metadata }) =>
    metadata.ownerReferences?.some(({ name }) => name === "beside"),
  );
  const name = object?.status?.volumeID ?? "";
  const claim = { spec: { volumeName: name } };
  expect(await client.get(claims, "data", { namespace: copy })).toMatchObject(claim);
  const volume = await client.get<KubeObject & { spec?: { hostPath?: { path?: string } } }>(volumes, name);
  const path = volume.spec?.hostPath?.path ?? "";
  expect(path).not.toBe(folder);
  expect(treeLines(path)).toEqual(before);
  await client.delete(namespaces, copy);
  await client.delete(volumes, name).catch(() => undefined); // a reclaimed one is gone with its claim
});

test("after a disaster the volume comes back where it was", { timeout: 180_000 }, async () => {
  const { client } = stage;
  await client.delete(namespaces, app);
  await eventually(
    () => client.get(namespaces, app).then(() => false, isNotFound),
    (gone) => gone,
  );
  await client.delete(volumes, `${app}-data`);
  await eventually(
    () => client.get(volumes, `${app}-data`).then(() => false, isNotFound),
    (gone) => gone,
  );
  rmSync(folder, { recursive: true });
  const end = await restored(stage, "rescue", { backupName: "first" });
  expect(end.status).toMatchObject({ phase: "Completed" });
  expect(treeLines(folder)).toEqual(before);
  expect(await client.get(volumes, `${app}-data`)).toMatchObject({ spec: { hostPath: { path: folder } } });
});
