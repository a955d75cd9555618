// Backups: what belongs in, how it is stored, and the controllers of the kinds around them.
// Copying volumes, snapshots and restoring do not live here.
export { type BackupDefaults, backupDefaults } from "./admission.ts";
export { startBackupController } from "./backup-controller.ts";
export { parseCron } from "./cron.ts";
export { startDeletionController } from "./deletion-controller.ts";
export type { BackupDeps, Log } from "./deps.ts";
export { startDownloadController } from "./download-controller.ts";
export { deleteRequest, startGcController } from "./gc-controller.ts";
export { startLocationController } from "./location-controller.ts";
export { adoptAnnotation, forgetAnnotation } from "./location-words.ts";
export type { RunInPod } from "./pod-items.ts";
export type { VolumeAction } from "./policies.ts";
export type { Subject } from "./results.ts";
export { type RunOptions, runBackup } from "./run.ts";
export { startScheduleController } from "./schedule-controller.ts";
export { backupNameOf } from "./schedule-plan.ts";
export { startServerStatusController } from "./server-status-controller.ts";
export type { OpenSnapshots, Snapshots, SnapshotsContext, StoredSnapshot, Taken } from "./snapshots.ts";
export { startSyncController } from "./sync-controller.ts";
export type {
  OpenPodVolumes,
  PodItem,
  PodVolumes,
  PodVolumesContext,
  VolumeFindings,
} from "./volumes.ts";
