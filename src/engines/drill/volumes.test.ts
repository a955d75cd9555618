import { expect, test } from "vitest";
import type { PodVolumeBackup, PodVolumeRestore } from "../../api/index.ts";
import { volumeVerdicts } from "./volumes.ts";

const copy = (phase: string, totalBytes: number, snapshotID?: string): PodVolumeBackup =>
  ({
    apiVersion: "velero.io/v1",
    kind: "PodVolumeBackup",
    metadata: { name: "pvb" },
    spec: {
      node: "n",
      pod: { namespace: "shop", name: "web" },
      volume: "data",
      backupStorageLocation: "default",
      repoIdentifier: "",
    },
    status: {
      phase,
      progress: { totalBytes, bytesDone: totalBytes },
      ...(snapshotID !== undefined && { snapshotID }),
    },
  }) as PodVolumeBackup; // phases of the table
const back = (phase: string, bytesDone: number, message?: string): PodVolumeRestore =>
  ({
    apiVersion: "velero.io/v1",
    kind: "PodVolumeRestore",
    metadata: { name: "pvr" },
    spec: {
      pod: { namespace: "scratch", name: "web" },
      volume: "data",
      snapshotID: "s1",
      backupStorageLocation: "default",
      repoIdentifier: "",
      sourceNamespace: "shop",
    },
    status: { phase, progress: { bytesDone }, ...(message !== undefined && { message }) },
  }) as PodVolumeRestore; // likewise
const none = { restores: [], downloads: [], claims: [], infos: [], backups: [] };
const target = (namespace: string) => (namespace === "shop" ? "scratch" : undefined);

test.each([
  ["all bytes came back", copy("Completed", 10, "s1"), [back("Completed", 10)], true, undefined],
  ["a byte is missing", copy("Completed", 10, "s1"), [back("Completed", 9)], false, "repository BytesDiffer"],
  [
    "the copy failed",
    copy("Completed", 10, "s1"),
    [back("Failed", 0, "wrong password")],
    false,
    "repository WrongPassword",
  ],
  ["nobody asked for it", copy("Completed", 10, "s1"), [], false, "backup PodMissing"],
  ["the backup never had it", copy("Failed", 0), [], false, "backup VolumeNotInBackup"],
  ["it was empty", copy("Completed", 0), [], true, undefined],
])("volumeVerdicts() %s", (_title, backup, restores, proved, blamed) => {
  const [verdict] = volumeVerdicts({ ...none, backups: [backup], restores, target });
  expect(verdict?.proved).toBe(proved);
  expect(verdict?.failure && `${verdict.failure.part} ${verdict.failure.reason}`).toBe(blamed);
});

test("volumeVerdicts() leaves out what is not rehearsed", () => {
  expect(volumeVerdicts({ ...none, backups: [copy("Completed", 1, "s1")], target: () => undefined })).toEqual(
    [],
  );
});

test.each([
  ["Bound", true],
  ["Pending", false],
])("volumeVerdicts() a snapshot is back when its claim is %s", (phase, proved) => {
  const infos = [
    { backupMethod: "CSISnapshot", pvcName: "db", pvcNamespace: "shop" },
    { backupMethod: "PodVolumeBackup", pvcName: "other", pvcNamespace: "shop" },
    { backupMethod: "CSISnapshot", pvcName: "left", pvcNamespace: "shop", skipped: true },
    "rubbish",
  ];
  const claims = [{ metadata: { name: "db", namespace: "scratch" }, status: { phase } }];
  expect(volumeVerdicts({ ...none, infos, claims, target }).map((one) => one.proved)).toEqual([proved]);
});
