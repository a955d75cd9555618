import { AppError } from "../errors.ts";
import type { Store } from "./store.ts";

/** The folders that a location may have; anything else means that the bucket belongs to something else. */
const folders = ["backups", "restores", "restic", "metadata", "plugins", "kopia"];

/** The files of a backup; names and endings are upstream's. */
const backupFiles = {
  metadata: () => "velero-backup.json",
  contents: (name: string) => `${name}.tar.gz`,
  log: (name: string) => `${name}-logs.gz`,
  podVolumeBackups: (name: string) => `${name}-podvolumebackups.json.gz`,
  volumeSnapshots: (name: string) => `${name}-volumesnapshots.json.gz`,
  itemOperations: (name: string) => `${name}-itemoperations.json.gz`,
  resourceList: (name: string) => `${name}-resource-list.json.gz`,
  results: (name: string) => `${name}-results.gz`,
  volumeInfo: (name: string) => `${name}-volumeinfo.json.gz`,
  /** Ours alone: other servers pass over it, and delete it with the rest of the folder. */
  volumePluginBackups: (name: string) => `${name}-volumepluginbackups.json.gz`,
  /** Ours alone, likewise: what its runs taught. */
  history: (name: string) => `${name}-headway-history.json.gz`,
  /** Ours alone, likewise: the signed report of its last rehearsal. */
  drill: (name: string) => `${name}-headway-drill.json.gz`,
  csiVolumeSnapshots: (name: string) => `${name}-csi-volumesnapshots.json.gz`,
  csiVolumeSnapshotContents: (name: string) => `${name}-csi-volumesnapshotcontents.json.gz`,
  csiVolumeSnapshotClasses: (name: string) => `${name}-csi-volumesnapshotclasses.json.gz`,
} as const;

/** The files of a restore; the volume info has no "restore-" in front, upstream neither. */
const restoreFiles = {
  log: (name: string) => `restore-${name}-logs.gz`,
  results: (name: string) => `restore-${name}-results.gz`,
  resourceList: (name: string) => `restore-${name}-resource-list.json.gz`,
  itemOperations: (name: string) => `restore-${name}-itemoperations.json.gz`,
  volumeInfo: (name: string) => `${name}-volumeinfo.json.gz`,
} as const;

/** One file of a backup. */
export type BackupFile = keyof typeof backupFiles;
/** One file of a restore. */
export type RestoreFile = keyof typeof restoreFiles;

/** The folder of a backup; whatever lies in it is deleted with the backup. */
export function backupFolder(backup: string): string {
  return `backups/${part(backup)}/`;
}

/** The key of one file of a backup. */
export function backupKey(backup: string, file: BackupFile): string {
  return backupFolder(backup) + backupFiles[file](backup);
}

/** The folder of a restore. */
export function restoreFolder(restore: string): string {
  return `restores/${part(restore)}/`;
}

/** The key of one file of a restore. */
export function restoreKey(restore: string, file: RestoreFile): string {
  return restoreFolder(restore) + restoreFiles[file](restore);
}

/** The folder of the repository that holds the volumes of a namespace. */
export function repositoryFolder(kind: string, namespace: string): string {
  return `${kind}/${part(namespace)}/`;
}

/** What a DownloadRequest's kind names. */
const downloads: Readonly<Record<string, (name: string) => string>> = {
  BackupLog: (name) => backupKey(name, "log"),
  BackupContents: (name) => backupKey(name, "contents"),
  BackupVolumeSnapshots: (name) => backupKey(name, "volumeSnapshots"),
  BackupItemOperations: (name) => backupKey(name, "itemOperations"),
  BackupResourceList: (name) => backupKey(name, "resourceList"),
  BackupResults: (name) => backupKey(name, "results"),
  BackupVolumeInfos: (name) => backupKey(name, "volumeInfo"),
  CSIBackupVolumeSnapshots: (name) => backupKey(name, "csiVolumeSnapshots"),
  CSIBackupVolumeSnapshotContents: (name) => backupKey(name, "csiVolumeSnapshotContents"),
  RestoreLog: (name) => restoreKey(name, "log"),
  RestoreResults: (name) => restoreKey(name, "results"),
  RestoreResourceList: (name) => restoreKey(name, "resourceList"),
  RestoreItemOperations: (name) => restoreKey(name, "itemOperations"),
  RestoreVolumeInfo: (name) => restoreKey(name, "volumeInfo"),
};

/** The key that a DownloadRequest asks for, undefined when its kind is unknown. */
export function downloadKey(kind: string, name: string): string | undefined {
  return Object.hasOwn(downloads, kind) ? downloads[kind]?.(name) : undefined;
}

/** Names of the folders below backups/. Some may be half-written: only those with metadata are backups. */
export function backupNames(store: Store, signal?: AbortSignal): AsyncGenerator<string> {
  return namesBelow(store, "backups/", signal);
}

/** Lists the top of a location and refuses folders that do not belong there: the check of a BackupStorageLocation. */
export async function validateLocation(store: Store, signal?: AbortSignal): Promise<void> {
  const strange: string[] = [];
  for await (const folder of namesBelow(store, "", signal)) {
    // Ten names are enough to recognise the bucket, however many there are.
    if (!folders.includes(folder) && strange.length < 10) strange.push(folder);
  }
  if (strange.length === 0) return;
  const found = strange.map((name) => JSON.stringify(name)).join(", ");
  throw new AppError("STORE_CONFIG", `${store.place} has folders that no backup location has: ${found}`);
}

async function* namesBelow(store: Store, prefix: string, signal?: AbortSignal): AsyncGenerator<string> {
  for await (const entry of store.list(prefix, { delimiter: "/" }, signal)) {
    if ("prefix" in entry) yield entry.prefix.slice(prefix.length, -1);
  }
}

/** A name is one part of a key; the stores refuse the other bad characters. */
function part(name: string): string {
  if (name === "" || name.includes("/")) {
    throw new AppError("STORE_KEY", `cannot use the name ${JSON.stringify(name)} in a key`, { retry: false });
  }
  return name;
}
