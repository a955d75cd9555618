import { gzipSync } from "node:zlib";
import { backupKey } from "../../src/store/index.ts";

/** The files of a finished backup as whoever writes to the bucket forges them, by key; `copies` is its list of volume copies. */
export function plantedBackup(
  name: string,
  { status = {}, copies }: { readonly status?: object; readonly copies?: readonly object[] } = {},
): [key: string, bytes: Buffer][] {
  const backup = {
    apiVersion: "velero.io/v1",
    kind: "Backup",
    metadata: { name },
    spec: { storageLocation: "default" },
    status: { phase: "Completed", ...status },
  };
  const stored = copies?.map((copy, i) => ({
    apiVersion: "velero.io/v1",
    kind: "PodVolumeBackup",
    metadata: { name: `${name}-${i + 1}`, labels: { "velero.io/backup-name": name } },
    ...copy,
  }));
  return [
    ...(stored
      ? [[backupKey(name, "podVolumeBackups"), gzipSync(JSON.stringify(stored))] as [string, Buffer]]
      : []),
    [backupKey(name, "metadata"), Buffer.from(JSON.stringify(backup))],
  ];
}
