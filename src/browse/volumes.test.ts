import { expect, test } from "vitest";
import type { Backup, DataUpload, PodVolumeBackup } from "../api/index.ts";
import { addressText } from "./address.ts";
import { volumesOf } from "./volumes.ts";

const backup = { metadata: { name: "b" }, spec: { storageLocation: "eu" } } as Backup;
const id = "0123456789abcdef0123456789abcdef";

function copy(snapshotID: string, uploaderType = "kopia"): PodVolumeBackup {
  return {
    metadata: { name: "b-1", annotations: { "velero.io/pvc-name": "claim" } },
    spec: {
      pod: { namespace: "shop", name: "web" },
      volume: "data",
      uploaderType,
      backupStorageLocation: "eu",
    },
    status: { snapshotID, progress: { totalBytes: 7 } },
  } as unknown as PodVolumeBackup; // what is looked at
}

function upload(datamover?: string): DataUpload {
  return {
    metadata: { name: "b-2" },
    spec: { sourceNamespace: "shop", sourcePVC: "moved", backupStorageLocation: "eu", datamover },
    status: { snapshotID: id },
  } as unknown as DataUpload; // what is looked at
}

const shown = (sources: Partial<Parameters<typeof volumesOf>[1]>) =>
  volumesOf(backup, { copies: [], uploads: [], infos: undefined, ...sources }).map(
    ({ name, uploader, snapshotId, location }) =>
      `${addressText(name)} ${uploader} ${snapshotId} ${location}`,
  );

test("volumesOf() finds copies of pod volumes and moved data", () => {
  expect(shown({ copies: [copy("abcdef01", "restic")], uploads: [upload()] })).toEqual([
    `shop/pvc:moved kopia ${id} eu`,
    "shop/web/data restic abcdef01 eu",
  ]);
});

test("volumesOf() leaves out what has no snapshot, a forged one, or another data mover", () => {
  expect(shown({ copies: [copy(""), copy("--repo=x", "restic")], uploads: [upload("other")] })).toEqual([]);
});

test("volumesOf() reads the stored file where the cluster knows nothing, and trusts nothing in it", () => {
  const moved = {
    pvcNamespace: "shop",
    pvcName: "moved",
    snapshotDataMovementInfo: { snapshotHandle: id, uploaderType: "kopia", dataMover: "velero", size: 3 },
  };
  const pvbInfo = {
    snapshotHandle: id,
    uploaderType: "kopia",
    podNamespace: "shop",
    podName: "web",
    volumeName: "data",
  };
  const infos = [
    moved,
    { pvbInfo },
    { pvbInfo: { ...pvbInfo, uploaderType: "sh" } },
    null,
    3,
    { pvbInfo: {} },
  ];
  expect(shown({ infos })).toEqual([`shop/pvc:moved kopia ${id} eu`, `shop/web/data kopia ${id} eu`]);
  expect(shown({ infos: { not: "a list" } })).toEqual([]);
  // What the cluster knows of the same volume goes first.
  const other = id.replace("0", "f");
  expect(shown({ copies: [copy(other)], infos: [{ pvbInfo }] })).toEqual([`shop/web/data kopia ${other} eu`]);
});
