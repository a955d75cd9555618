// Backups: what belongs in, how it is stored, and the controllers of the kinds around them.
// Copying volumes, snapshots and restoring do not live here.
export { type BackupDefaults, backupDefaults } from "./admission.ts";
export { startBackupController } from "./backup-controller.ts";
export type { BackupDeps, Log } from "./deps.ts";
export type { RunInPod } from "./pod-items.ts";
export type { VolumeAction, VolumeFacts } from "./policies.ts";
export type { Subject } from "./results.ts";
export { type RunOptions, type RunProgress, runBackup } from "./run.ts";
export type { OpenSnapshots, Snapshots, StoredSnapshot } from "./snapshots.ts";
export type {
  OpenPodVolumes,
  PodItem,
  PodVolumes,
  PodVolumesContext,
  VolumeFindings,
  VolumeProgress,
} from "./volumes.ts";
