// Backups: what belongs in, how it is stored, and the controllers of the kinds around them.
// Copying volumes, snapshots and restoring do not live here.
export { type BackupDefaults, backupDefaults } from "./admission.ts";
export { startBackupController } from "./backup-controller.ts";
export { nextTime, parseCron } from "./cron.ts";
export { startDeletionController } from "./deletion-controller.ts";
export type { BackupDeps } from "./deps.ts";
export { startDownloadController } from "./download-controller.ts";
export { deleteRequest, startGcController } from "./gc-controller.ts";
export type { ItemActions, OpenItemActions } from "./item-actions.ts";
export { startLocationController } from "./location-controller.ts";
export { adoptAnnotation, forgetAnnotation } from "./location-words.ts";
export type { RunInPod } from "./pod-items.ts";
export { type RunOptions, runBackup } from "./run.ts";
export { startScheduleController } from "./schedule-controller.ts";
export { backupNameOf, backupNow, intervalMs, upcoming } from "./schedule-plan.ts";
export { startServerStatusController } from "./server-status-controller.ts";
export type { OpenSnapshots } from "./snapshots.ts";
export { startSyncController } from "./sync-controller.ts";
export { padding, tarEnd, tarHeader } from "./tar.ts";
export type { OpenPodVolumes } from "./volumes.ts";
