import { expect, test } from "vitest";
import type { Backup, PodVolumeBackup, VolumePluginBackup } from "../../api/index.ts";
import { importedBackup, importedSnapshot, importedVolume, isAnothers, isOrphan } from "./sync-plan.ts";

const facts = {
  name: "b",
  namespace: "velero",
  location: "here",
  locationLabel: "here",
  scheduleUids: new Set(["s1"]),
  nowMs: Date.parse("2026-11-15T10:00:00Z"),
};

function stored(phase: string, more: object = {}): Backup {
  return {
    apiVersion: "velero.io/v1",
    kind: "Backup",
    metadata: { name: "b", namespace: "other", uid: "u", resourceVersion: "7", labels: { a: "b" }, ...more },
    spec: { storageLocation: "there" },
    status: { phase, expiration: "2026-12-01T00:00:00Z" },
  } as Backup;
}

test("importedBackup() makes the backup this cluster's own", () => {
  const owners = [
    { apiVersion: "velero.io/v1", kind: "Schedule", name: "s", uid: "s1" },
    { apiVersion: "velero.io/v1", kind: "Schedule", name: "t", uid: "s2" },
  ];
  expect(importedBackup(stored("Completed", { ownerReferences: owners }), facts)).toEqual({
    apiVersion: "velero.io/v1",
    kind: "Backup",
    metadata: {
      name: "b",
      namespace: "velero",
      labels: { a: "b", "velero.io/storage-location": "here" },
      ownerReferences: [owners[0]],
    },
    spec: { storageLocation: "here" },
    status: { phase: "Completed", expiration: "2026-12-01T00:00:00Z" },
  });
});

test.each(["Finalizing", "WaitingForPluginOperationsPartiallyFailed", "InProgress"])(
  "importedBackup() waits while it is %s, and takes an expired one in to be collected",
  (phase) => {
    expect(importedBackup(stored(phase), facts)).toBeUndefined();
    const late = { ...facts, nowMs: Date.parse("2027-01-01T00:00:00Z") };
    expect(importedBackup(stored(phase), late)).toMatchObject({ status: { phase: "PartiallyFailed" } });
  },
);

test("importedBackup() refuses what its folder does not name", () => {
  expect(importedBackup(stored("Completed"), { ...facts, name: "c" })).toBeUndefined();
  expect(importedBackup(JSON.parse("null"), facts)).toBeUndefined();
});

test("importedVolume() belongs to the new backup", () => {
  const copy = {
    metadata: { name: "b-x", labels: { "velero.io/backup-uid": "old" } },
    spec: { backupStorageLocation: "there", volume: "data" },
    status: { phase: "Completed" },
  } as unknown as PodVolumeBackup;
  expect(importedVolume(copy, stored("Completed", { uid: "new" }), "here", "velero")).toMatchObject({
    metadata: {
      labels: { "velero.io/backup-uid": "new" },
      ownerReferences: [{ kind: "Backup", uid: "new" }],
    },
    spec: { backupStorageLocation: "here" },
    status: { phase: "Completed" },
  });
});

test.each([
  ["gone from the store", "Completed", "here", [], true],
  ["still there", "Completed", "here", ["b"], false],
  ["of another location", "Completed", "there", [], false],
  ["still running", "InProgress", "here", [], false],
  ["failed, never stored", "Failed", "here", [], false],
])("isOrphan(): %s", (_name, phase, label, names, want) => {
  const backup = stored(phase, { labels: { "velero.io/storage-location": label } });
  expect(isOrphan(backup, "here", new Set(names))).toBe(want);
});

test("importedSnapshot() belongs to the new backup and keeps what the plugin said", () => {
  const snapshot = {
    metadata: { name: "snap-1", labels: { "velero.io/backup-uid": "old", own: "yes" } },
    spec: { volume: "pv", backup: "b", plugin: "example.com/p", pluginSpecific: { region: "eu" } },
    status: { phase: "Completed", snapshotID: "snap-1", progress: { totalBytes: 9, bytesDone: 9 } },
  } as unknown as VolumePluginBackup;
  const backup = { ...stored("Completed"), metadata: { name: "b", uid: "new" } } as Backup;
  expect(importedSnapshot(snapshot, backup, "b", "velero")).toEqual({
    apiVersion: "velero.io/v1",
    kind: "VolumePluginBackup",
    metadata: {
      name: "snap-1",
      namespace: "velero",
      labels: { own: "yes", "velero.io/backup-name": "b", "velero.io/backup-uid": "new" },
      ownerReferences: [
        { apiVersion: "velero.io/v1", kind: "Backup", name: "b", uid: "new", controller: true },
      ],
    },
    spec: snapshot.spec,
    status: snapshot.status,
  });
  expect(importedSnapshot(JSON.parse("{}"), backup, "b", "velero")).toBeUndefined();
});

test.each([
  ["of this very backup", "u1", false],
  ["of a backup that was brought here", "u0", true],
  ["that does not say", undefined, false],
])("isAnothers() of a snapshot %s", (_title, origin, want) => {
  const labels = origin === undefined ? {} : { "velero.io/backup-uid": origin };
  const stored = { metadata: { name: "s", labels } } as unknown as VolumePluginBackup;
  expect(isAnothers(stored, { metadata: { name: "b", uid: "u1" } } as Backup)).toBe(want);
});
