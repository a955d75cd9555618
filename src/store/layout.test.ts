import { expect, test } from "vitest";
import {
  backupFolder,
  backupKey,
  backupNames,
  downloadKey,
  repositoryFolder,
  restoreFolder,
  restoreKey,
  validateLocation,
} from "./layout.ts";
import { MemoryStore } from "./memory.ts";

test.each([
  [backupFolder("b"), "backups/b/"],
  [backupKey("b", "metadata"), "backups/b/velero-backup.json"],
  [backupKey("b", "contents"), "backups/b/b.tar.gz"],
  [backupKey("b", "log"), "backups/b/b-logs.gz"],
  [backupKey("b", "podVolumeBackups"), "backups/b/b-podvolumebackups.json.gz"],
  [backupKey("b", "volumeSnapshots"), "backups/b/b-volumesnapshots.json.gz"],
  [backupKey("b", "itemOperations"), "backups/b/b-itemoperations.json.gz"],
  [backupKey("b", "resourceList"), "backups/b/b-resource-list.json.gz"],
  [backupKey("b", "results"), "backups/b/b-results.gz"],
  [backupKey("b", "volumeInfo"), "backups/b/b-volumeinfo.json.gz"],
  [backupKey("b", "csiVolumeSnapshots"), "backups/b/b-csi-volumesnapshots.json.gz"],
  [backupKey("b", "csiVolumeSnapshotContents"), "backups/b/b-csi-volumesnapshotcontents.json.gz"],
  [backupKey("b", "csiVolumeSnapshotClasses"), "backups/b/b-csi-volumesnapshotclasses.json.gz"],
  [restoreFolder("r"), "restores/r/"],
  [restoreKey("r", "log"), "restores/r/restore-r-logs.gz"],
  [restoreKey("r", "results"), "restores/r/restore-r-results.gz"],
  [restoreKey("r", "resourceList"), "restores/r/restore-r-resource-list.json.gz"],
  [restoreKey("r", "itemOperations"), "restores/r/restore-r-itemoperations.json.gz"],
  [restoreKey("r", "volumeInfo"), "restores/r/r-volumeinfo.json.gz"],
  [repositoryFolder("kopia", "shop"), "kopia/shop/"],
  [repositoryFolder("restic", "shop"), "restic/shop/"],
  [downloadKey("BackupContents", "b"), "backups/b/b.tar.gz"],
  [downloadKey("BackupVolumeInfos", "b"), "backups/b/b-volumeinfo.json.gz"],
  [downloadKey("RestoreVolumeInfo", "r"), "restores/r/r-volumeinfo.json.gz"],
  [downloadKey("RestoreLog", "r"), "restores/r/restore-r-logs.gz"],
  [downloadKey("Nonsense", "r"), undefined],
  [downloadKey("constructor", "r"), undefined],
])("the key %s is upstream's", (got, want) => {
  expect(got).toBe(want);
});

test("a name that is not one part of a key is refused", () => {
  expect(() => backupKey("a/b", "log")).toThrow('"a/b"');
  expect(() => repositoryFolder("kopia", "")).toThrow('""');
});

test("backupNames() gives folders, not files", async () => {
  const store = new MemoryStore();
  for (const key of ["backups/b/x", "backups/a/velero-backup.json", "backups/stray", "restores/r/x"]) {
    await store.put(key, Buffer.from("x"));
  }
  expect(await Array.fromAsync(backupNames(store))).toEqual(["a", "b"]);
});

test("validateLocation() takes an empty location and the six folders, and names the others", async () => {
  const store = new MemoryStore();
  await validateLocation(store);
  for (const folder of ["backups", "restores", "restic", "metadata", "plugins", "kopia"]) {
    await store.put(`${folder}/x`, Buffer.from("x"));
  }
  await store.put("a-file", Buffer.from("x"));
  await validateLocation(store);
  await store.put("photos/x", Buffer.from("x"));
  await expect(validateLocation(store)).rejects.toMatchObject({
    code: "STORE_CONFIG",
    message: 'memory has folders that no backup location has: "photos"',
  });
});
