import { expect, test } from "vitest";
import {
  type Backup,
  readStoredBackup,
  readStoredPodVolumeBackups,
  readStoredSnapshotRecords,
  type VolumePluginBackup,
} from "../../api/index.ts";
import { importedBackup, importedSnapshot, importedVolume, isAnothers, isOrphan } from "./sync-plan.ts";

const facts = {
  namespace: "velero",
  location: "here",
  locationLabel: "here",
  schedules: new Map([["s1", "s"]]),
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

const place = { namespace: "velero", location: "here", backupLabel: "b" };
const imported = (backup: unknown, more: object = {}) =>
  importedBackup(readStoredBackup(backup, "file", "b"), { ...facts, ...more });

test("importedBackup() makes the backup this cluster's own", () => {
  const owners = [
    { apiVersion: "velero.io/v1", kind: "Schedule", name: "s", uid: "s1" },
    { apiVersion: "velero.io/v1", kind: "Schedule", name: "t", uid: "s2" },
  ];
  expect(imported(stored("Completed", { ownerReferences: owners }))).toEqual({
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
    expect(imported(stored(phase))).toBeUndefined();
    const late = { nowMs: Date.parse("2027-01-01T00:00:00Z") };
    expect(imported(stored(phase), late)).toMatchObject({ status: { phase: "PartiallyFailed" } });
  },
);

test("importedBackup() takes neither finalizers nor owners nor notes that make somebody work", () => {
  const hostile = {
    finalizers: ["velero.io/gone"],
    namespace: "kube-system",
    annotations: { "headway.dev/cancel": "true", note: "kept" },
    labels: { "headway.dev/x": "y", a: "b" },
    ownerReferences: [
      { apiVersion: "v1", kind: "Pod", name: "p", uid: "s1" },
      { apiVersion: "evil/v1", kind: "Schedule", name: "other", uid: "s1", blockOwnerDeletion: true },
    ],
  };
  expect(imported(stored("Completed", hostile))).toMatchObject({
    metadata: {
      namespace: "velero",
      annotations: { note: "kept" },
      labels: { a: "b", "velero.io/storage-location": "here" },
      ownerReferences: [{ apiVersion: "velero.io/v1", kind: "Schedule", name: "s", uid: "s1" }],
    },
  });
  expect(imported(stored("Completed", hostile))).not.toHaveProperty("metadata.finalizers");
});

const copy = (change: object = {}, status: object = {}) => ({
  metadata: {
    name: "b-x",
    finalizers: ["velero.io/pod-volume-finalizer"],
    labels: { "velero.io/backup-uid": "old", "velero.io/backup-name": "other", "velero.io/pvc-uid": "c1" },
    annotations: { "velero.io/pvc-name": "claim", "headway.dev/stall": "{}" },
  },
  spec: {
    node: "n1",
    cancel: true,
    backupStorageLocation: "there",
    uploaderType: "restic",
    volume: "data",
    pod: { namespace: "shop", name: "web-0", uid: "p1" },
    ...change,
  },
  status: { phase: "Completed", node: "n1", snapshotID: "0123abcd", ...status },
});
const volume = (one: object) => {
  const [read] = readStoredPodVolumeBackups([one], "file");
  return read && importedVolume(read, stored("Completed", { uid: "new" }), place);
};

test("importedVolume() belongs to the new backup, to no node, and carries nothing else", () => {
  expect(volume(copy())).toEqual({
    apiVersion: "velero.io/v1",
    kind: "PodVolumeBackup",
    metadata: {
      name: "b-x",
      namespace: "velero",
      labels: { "velero.io/backup-uid": "new", "velero.io/backup-name": "b", "velero.io/pvc-uid": "c1" },
      annotations: { "velero.io/pvc-name": "claim" },
      ownerReferences: [
        { apiVersion: "velero.io/v1", kind: "Backup", name: "b", uid: "new", controller: true },
      ],
    },
    spec: {
      node: "",
      backupStorageLocation: "here",
      repoIdentifier: "",
      uploaderType: "restic",
      volume: "data",
      tags: {},
      pod: { kind: "Pod", namespace: "shop", name: "web-0", uid: "p1" },
    },
    status: { phase: "Completed", snapshotID: "0123abcd", progress: {} },
  });
});

test.each(["", undefined, "New", "Accepted", "Prepared", "InProgress", "Canceling"])(
  "importedVolume() leaves a copy out whose phase is %s",
  (phase) => {
    expect(volume(copy({}, { phase }))).toBeUndefined();
  },
);

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

const record = (status: object = {}) => ({
  metadata: { name: "snap-1", labels: { "velero.io/backup-uid": "old", own: "no" } },
  spec: { volume: "pv", backup: "b", plugin: "example.com/p", pluginSpecific: { region: "eu" } },
  status: { phase: "Completed", snapshotID: "snap-1", progress: { totalBytes: 9, bytesDone: 9 }, ...status },
});
const snapshot = (one: object) => {
  const [read] = readStoredSnapshotRecords([one], "file");
  return (
    read && importedSnapshot(read, { ...stored("Completed"), metadata: { name: "b", uid: "new" } }, place)
  );
};

test("importedSnapshot() belongs to the new backup and keeps what the plugin said", () => {
  expect(snapshot(record())).toEqual({
    apiVersion: "velero.io/v1",
    kind: "VolumePluginBackup",
    metadata: {
      name: "snap-1",
      namespace: "velero",
      labels: { "velero.io/backup-name": "b", "velero.io/backup-uid": "new" },
      ownerReferences: [
        { apiVersion: "velero.io/v1", kind: "Backup", name: "b", uid: "new", controller: true },
      ],
    },
    spec: record().spec,
    status: record().status,
  });
});

test.each([
  { phase: "InProgress" },
  { phase: "New" },
  { phase: "" },
  { phase: "Moving" },
  { snapshotID: "" },
])("importedSnapshot() leaves out what is not over: %j", (status) => {
  expect(snapshot(record(status))).toBeUndefined();
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
