import { drill } from "./headway/drill.ts";
import { operation } from "./headway/operation.ts";
import { actionSet } from "./kanister/actionset.ts";
import { blueprint } from "./kanister/blueprint.ts";
import { profile } from "./kanister/profile.ts";
import type { Kind, ObjectOf } from "./kind.ts";
import { migCluster } from "./migration/migcluster.ts";
import { migHook } from "./migration/mighook.ts";
import { migMigration } from "./migration/migmigration.ts";
import { migPlan } from "./migration/migplan.ts";
import { migStorage } from "./migration/migstorage.ts";
import { backup } from "./velero/backup.ts";
import { backupRepository } from "./velero/backuprepository.ts";
import { backupStorageLocation } from "./velero/backupstoragelocation.ts";
import { dataDownload } from "./velero/datadownload.ts";
import { dataUpload } from "./velero/dataupload.ts";
import { deleteBackupRequest } from "./velero/deletebackuprequest.ts";
import { downloadRequest } from "./velero/downloadrequest.ts";
import { podVolumeBackup } from "./velero/podvolumebackup.ts";
import { podVolumeRestore } from "./velero/podvolumerestore.ts";
import { restore } from "./velero/restore.ts";
import { schedule } from "./velero/schedule.ts";
import { serverStatusRequest } from "./velero/serverstatusrequest.ts";
import { volumePluginBackup } from "./velero/volumepluginbackup.ts";
import { volumePluginRestore } from "./velero/volumepluginrestore.ts";
import { volumeSnapshotLocation } from "./velero/volumesnapshotlocation.ts";

/** Every kind that Headway defines or reads, by name. */
export const kinds = {
  Backup: backup,
  Restore: restore,
  Schedule: schedule,
  BackupStorageLocation: backupStorageLocation,
  VolumeSnapshotLocation: volumeSnapshotLocation,
  PodVolumeBackup: podVolumeBackup,
  PodVolumeRestore: podVolumeRestore,
  VolumePluginBackup: volumePluginBackup,
  VolumePluginRestore: volumePluginRestore,
  DownloadRequest: downloadRequest,
  DeleteBackupRequest: deleteBackupRequest,
  ServerStatusRequest: serverStatusRequest,
  BackupRepository: backupRepository,
  DataUpload: dataUpload,
  DataDownload: dataDownload,
  ActionSet: actionSet,
  Blueprint: blueprint,
  Profile: profile,
  MigMigration: migMigration,
  MigPlan: migPlan,
  MigCluster: migCluster,
  MigStorage: migStorage,
  MigHook: migHook,
  Operation: operation,
  Drill: drill,
} as const;

/** The name of a kind of the registry. */
export type KindName = keyof typeof kinds;

/** The objects of a kind, by the kind's name. */
export type ObjectByKind<N extends KindName> = ObjectOf<(typeof kinds)[N]>;

/** The same kinds as a list, in the order of the registry. */
export const allKinds: readonly Kind[] = Object.values(kinds);

/** Finds a kind by what an object says about itself. */
export function findKind(apiVersion: string, kind: string): Kind | undefined {
  return allKinds.find((k) => k.kind === kind && apiVersionOf(k) === apiVersion);
}

/** Group and version as objects carry them, such as `velero.io/v1`. */
export function apiVersionOf<K extends Pick<Kind, "group" | "version">>(kind: K) {
  return `${kind.group}/${kind.version}` as `${K["group"]}/${K["version"]}`;
}
