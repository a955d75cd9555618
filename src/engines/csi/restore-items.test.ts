import { expect, test } from "vitest";
import type { Restore } from "../../api/index.ts";
import {
  claimForDownload,
  claimFromSnapshot,
  contentOfSnapshot,
  type RestoreItem,
  restoredContent,
  restoredName,
  restoredSnapshot,
  snapshotOfContent,
  uploadOfClaim,
} from "./restore-items.ts";

const restore = { metadata: { name: "r", uid: "7c2f0ac7-0001" } } as Restore;
const claim: RestoreItem = {
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: {
    name: "data",
    namespace: "shop",
    labels: { app: "web", "velero.io/volume-snapshot-name": "velero-data-x", "velero.io/backup-name": "b" },
    annotations: { note: "n", "velero.io/volume-snapshot-name": "velero-data-x" },
  },
  spec: {
    volumeName: "pv-1",
    storageClassName: "fast",
    dataSourceRef: { kind: "Other" },
    resources: { requests: { storage: "1Gi" } },
  },
};

test("restoredName() is upstream's: 64 hex digits of the restore's uid and the snapshot's name", () => {
  // sha256 of "7c2f0ac7-0001/velero-data-x"
  expect(restoredName(restore, "velero-data-x")).toMatch(/^[0-9a-f]{64}$/);
  expect(restoredName(restore, "velero-data-x")).not.toBe(restoredName(restore, "velero-data-y"));
});

test("claimFromSnapshot() fills the claim from the snapshot and forgets what tied it to the past", () => {
  expect(claimFromSnapshot(claim, "n")).toEqual({
    ...claim,
    metadata: { name: "data", namespace: "shop", labels: { app: "web" }, annotations: { note: "n" } },
    spec: {
      storageClassName: "fast",
      resources: { requests: { storage: "1Gi" } },
      dataSource: { apiGroup: "snapshot.storage.k8s.io", kind: "VolumeSnapshot", name: "n" },
    },
  });
});

test("claimForDownload() keeps every other volume away, with the same mark each time", () => {
  const once = claimForDownload(claim, restore);
  expect(once["spec"]).toEqual({
    storageClassName: "fast",
    resources: { requests: { storage: "1Gi" } },
    selector: {
      matchLabels: { "velero.io/dynamic-pv-restore": expect.stringMatching(/^shop\.data\.[0-9a-f]{5}$/) },
    },
  });
  expect(claimForDownload(claim, restore)).toEqual(once);
});

test("restoredSnapshot() is bound to the content of its own name, and has no class of the other cluster", () => {
  const snapshot: RestoreItem = {
    apiVersion: "snapshot.storage.k8s.io/v1",
    kind: "VolumeSnapshot",
    metadata: {
      name: "velero-data-x",
      namespace: "shop",
      annotations: { "velero.io/csi-vsc-deletion-policy": "Delete" },
    },
    spec: { volumeSnapshotClassName: "k", source: { persistentVolumeClaimName: "data" } },
    status: { boundVolumeSnapshotContentName: "snapcontent-1" },
  };
  expect(contentOfSnapshot(snapshot)).toBe("snapcontent-1");
  expect(restoredSnapshot(snapshot, "n")).toMatchObject({
    metadata: { name: "n", annotations: { "velero.io/csi-vsc-deletion-policy": "Retain" } },
    spec: { source: { volumeSnapshotContentName: "n" } },
  });
});

const content: RestoreItem = {
  apiVersion: "snapshot.storage.k8s.io/v1",
  kind: "VolumeSnapshotContent",
  metadata: { name: "snapcontent-1" },
  spec: {
    deletionPolicy: "Delete",
    driver: "d",
    source: { volumeHandle: "v" },
    sourceVolumeMode: "Filesystem",
    volumeSnapshotClassName: "k",
    volumeSnapshotRef: { namespace: "shop", name: "velero-data-x", uid: "u", resourceVersion: "1" },
  },
  status: { snapshotHandle: "h" },
};

test("restoredContent() stands for the snapshot in the storage, and never deletes it", () => {
  expect(snapshotOfContent(content)).toEqual({ namespace: "shop", name: "velero-data-x" });
  const made = restoredContent(content, content, { name: "n", namespace: "shop-2", className: "mine" });
  expect(made).toMatchObject({ metadata: { name: "n" } });
  expect(made["spec"]).toEqual({
    deletionPolicy: "Retain",
    driver: "d",
    sourceVolumeMode: "Filesystem",
    source: { snapshotHandle: "h" },
    volumeSnapshotClassName: "mine",
    volumeSnapshotRef: {
      apiVersion: "snapshot.storage.k8s.io/v1",
      kind: "VolumeSnapshot",
      namespace: "shop-2",
      name: "n",
    },
  });
});

test("restoredContent() without a handle, or with an odd one, is refused", () => {
  for (const status of [undefined, {}, { snapshotHandle: "" }, { snapshotHandle: 5 }]) {
    const place = { name: "n", namespace: "s", className: undefined };
    expect(() => restoredContent({ ...content, status }, content, place)).toThrow("handle");
  }
});

test.each([
  ["velero/b-1", ["velero", "b-1"]],
  ["b-1", undefined],
  ["a/b/c", undefined],
  ["", undefined],
])("uploadOfClaim() of %j", (text, want) => {
  const marked = { ...claim, metadata: { name: "x", annotations: { "velero.io/data-upload-name": text } } };
  expect(uploadOfClaim(marked)).toEqual(want);
});
