import { expect, test } from "vitest";
import type { PodVolumeBackup } from "../../api/index.ts";
import { volumeInfos, volumeSeen } from "./volume-info.ts";

const pv = volumeSeen({
  metadata: { name: "pv-1", labels: { a: "b" } },
  spec: { claimRef: { namespace: "shop", name: "data" }, persistentVolumeReclaimPolicy: "Delete" },
});

function copy(claim?: string): PodVolumeBackup {
  return {
    metadata: { name: "b-1", ...(claim && { annotations: { "velero.io/pvc-name": claim } }) },
    spec: {
      node: "vm",
      pod: { kind: "Pod", namespace: "shop", name: "web" },
      volume: "data",
      uploaderType: "kopia",
    },
    status: {
      phase: "Completed",
      snapshotID: "s1",
      startTimestamp: "2026-11-15T19:14:09Z",
      completionTimestamp: "2026-11-15T19:14:12Z",
      progress: { totalBytes: 6, bytesDone: 6 },
    },
  } as unknown as PodVolumeBackup;
}

test("volumeInfos() of a copied emptyDir has the fields that Velero 1.17 writes", () => {
  expect(volumeInfos([], { copies: [copy()], native: [] })).toEqual([
    {
      backupMethod: "PodVolumeBackup",
      snapshotDataMoved: false,
      preserveLocalSnapshot: false,
      skipped: false,
      startTimestamp: "2026-11-15T19:14:09Z",
      completionTimestamp: "2026-11-15T19:14:12Z",
      result: "succeeded",
      pvbInfo: {
        snapshotHandle: "s1",
        size: 6,
        uploaderType: "kopia",
        volumeName: "data",
        podName: "web",
        podNamespace: "shop",
        nodeName: "vm",
        Phase: "Completed",
      },
    },
  ]);
});

test("volumeInfos() ties a copy to its volume, and tells which volumes were left alone", () => {
  const other = volumeSeen({ metadata: { name: "pv-2" }, spec: {} });
  expect(volumeInfos([pv, other], { copies: [copy("data")], native: [] })).toMatchObject([
    {
      pvcName: "data",
      pvcNamespace: "shop",
      pvName: "pv-1",
      pvInfo: { reclaimPolicy: "Delete", labels: { a: "b" } },
    },
    { pvName: "pv-2", skipped: true, skippedReason: expect.any(String) },
  ]);
});

test("volumeInfos() of a native snapshot has its IOPS as text", () => {
  const spec = {
    backupName: "b",
    backupUID: "u",
    location: "l",
    persistentVolumeName: "pv-1",
    providerVolumeID: "p",
    volumeType: "gp3",
    volumeIOPS: 100,
  };
  expect(
    volumeInfos([pv], {
      copies: [],
      native: [{ spec, status: { phase: "Completed", providerSnapshotID: "x" } }],
    }),
  ).toMatchObject([
    {
      backupMethod: "NativeSnapshot",
      pvName: "pv-1",
      pvcName: "data",
      nativeSnapshotInfo: { snapshotHandle: "x", iops: "100", Phase: "Completed" },
    },
  ]);
});
