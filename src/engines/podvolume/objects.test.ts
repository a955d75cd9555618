import { expect, test } from "vitest";
import type { Backup, PodVolumeBackup, Restore } from "../../api/index.ts";
import { newPodVolumeBackup, newPodVolumeRestore, uploaderOf } from "./objects.ts";

const backup: Backup = {
  apiVersion: "velero.io/v1",
  kind: "Backup",
  metadata: { name: "nightly", namespace: "velero", uid: "b-uid" },
  spec: { storageLocation: "default", uploaderConfig: { parallelFilesUpload: 3 } },
};
const pod = { metadata: { name: "web", namespace: "shop", uid: "p-uid" }, spec: { nodeName: "n1" } };

test("newPodVolumeBackup() makes what upstream's server makes", () => {
  const claim = { name: "db", uid: "c-uid" };
  expect(newPodVolumeBackup({ backup, pod, volume: "data", claim, uploader: "kopia" })).toEqual({
    apiVersion: "velero.io/v1",
    kind: "PodVolumeBackup",
    metadata: {
      generateName: "nightly-",
      namespace: "velero",
      ownerReferences: [
        { apiVersion: "velero.io/v1", kind: "Backup", name: "nightly", uid: "b-uid", controller: true },
      ],
      labels: {
        "velero.io/backup-name": "nightly",
        "velero.io/backup-uid": "b-uid",
        "velero.io/pvc-uid": "c-uid",
      },
      annotations: { "velero.io/pvc-name": "db" },
    },
    spec: {
      node: "n1",
      pod: { kind: "Pod", namespace: "shop", name: "web", uid: "p-uid" },
      volume: "data",
      backupStorageLocation: "default",
      repoIdentifier: "",
      uploaderType: "kopia",
      tags: {
        backup: "nightly",
        "backup-uid": "b-uid",
        pod: "web",
        "pod-uid": "p-uid",
        ns: "shop",
        volume: "data",
        "pvc-uid": "c-uid",
      },
      uploaderSettings: { ParallelFilesUpload: "3" },
    },
  });
});

test("newPodVolumeBackup() says nothing of a claim that is not there", () => {
  const made = newPodVolumeBackup({ backup, pod, volume: "scratch", uploader: "restic" });
  expect(made.metadata.annotations).toBeUndefined();
  expect(Object.keys(made.metadata.labels ?? {})).not.toContain("velero.io/pvc-uid");
  expect(made.spec?.tags).not.toHaveProperty("pvc-uid");
});

const snapshot = "0123456789abcdef0123456789abcdef";

test("newPodVolumeRestore() takes snapshot, size and program from the backup", () => {
  const restore: Restore = {
    apiVersion: "velero.io/v1",
    kind: "Restore",
    metadata: { name: "back", namespace: "velero", uid: "r-uid" },
    spec: { backupName: "nightly", uploaderConfig: { writeSparseFiles: true, parallelFilesDownload: 2 } },
  };
  const stored = newPodVolumeBackup({ backup, pod, volume: "data", uploader: "kopia" });
  const pvb: PodVolumeBackup = {
    ...stored,
    metadata: { ...stored.metadata, name: "nightly-x" },
    status: { snapshotID: snapshot, progress: { totalBytes: 7, bytesDone: 7 } },
  };
  const target = { namespace: "other", name: "web", uid: "new-uid" };
  expect(newPodVolumeRestore({ restore, pod: target, backup: pvb, sourceNamespace: "shop" })).toMatchObject({
    metadata: {
      generateName: "back-",
      labels: {
        "velero.io/restore-name": "back",
        "velero.io/restore-uid": "r-uid",
        "velero.io/pod-uid": "new-uid",
      },
    },
    spec: {
      pod: { kind: "Pod", ...target },
      volume: "data",
      snapshotID: snapshot,
      snapshotSize: 7,
      sourceNamespace: "shop",
      uploaderType: "kopia",
      repoIdentifier: "",
      uploaderSettings: { WriteSparseFiles: "true", ParallelFilesDownload: "2" },
    },
  });
});

test.each([
  ["restic", "--password-command=id"],
  ["restic", "latest"],
  ["kopia", "0123abcd"],
  ["kopia", ""],
])("newPodVolumeRestore() refuses %s's snapshot %j", (uploaderType, snapshotID) => {
  const restore = { apiVersion: "velero.io/v1", kind: "Restore", metadata: { name: "back" } } as Restore;
  const pvb = { metadata: { name: "x" }, spec: { uploaderType }, status: { snapshotID } } as PodVolumeBackup;
  const from = { restore, pod: { namespace: "a", name: "b", uid: "c" }, backup: pvb };
  const refused = expect.objectContaining({ code: "MOVER_ARGUMENT" });
  expect(() => newPodVolumeRestore({ ...from, sourceNamespace: "shop" })).toThrow(refused);
  const right = { ...pvb, status: { snapshotID: uploaderType === "kopia" ? snapshot : "0123abcd" } };
  expect(() => newPodVolumeRestore({ ...from, backup: right, sourceNamespace: "../x" })).toThrow(refused);
});

test.each([
  ["kopia", "kopia"],
  ["restic", "restic"],
  ["", "restic"],
])("uploaderOf(%j) is %j", (uploaderType, want) => {
  expect(uploaderOf({ uploaderType })).toBe(want);
});
