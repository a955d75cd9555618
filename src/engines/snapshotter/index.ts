// Volume snapshotters: snapshots for backups, volumes for restores, one progress for all of them.
// Plugins are started and spoken to in src/plugins; which volumes belong in a backup is decided by the backup and restore engines.
export { backupSnapshots, type SnapshotDeps } from "./backup-snapshots.ts";
export { startRecordKeeper } from "./record-keeper.ts";
export { snapshotRemover } from "./remove-snapshots.ts";
export { restoreSnapshots } from "./restore-snapshots.ts";
