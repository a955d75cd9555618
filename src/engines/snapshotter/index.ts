// Volume snapshotters: plugins of all kinds, snapshots for backups, volumes for restores, one progress for all of them.
// Which volumes belong in a backup, and what becomes of other items, is decided by the backup and restore engines.
export { backupSnapshots, type SnapshotDeps } from "./backup-snapshots.ts";
export type * from "./contract.ts";
export { folderPlugin } from "./folder/folder-snapshotter.ts";
export { type OpenedSnapshotter, type PluginInfo, Plugins, type PluginsOptions } from "./plugins.ts";
export { type RecordDeps, startRecordKeeper } from "./record-keeper.ts";
export { snapshotRemover } from "./remove-snapshots.ts";
export { restoreSnapshots } from "./restore-snapshots.ts";
export { isUnused, unusedActions } from "./unused-actions.ts";
