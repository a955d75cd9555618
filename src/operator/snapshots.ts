import {
  backupSnapshots,
  restoreSnapshots,
  type SnapshotDeps,
  snapshotRemover,
} from "../engines/snapshotter/index.ts";

/** Where plugins come from. */
export interface PluginOptions {
  /** Folders with plugin programs and modules. */
  readonly folders?: readonly string[] | undefined;
  /** Modules by path or package name. */
  readonly modules?: readonly string[] | undefined;
  /** The file that names the cluster, for plugins that talk to it. */
  readonly kubeconfig?: string | undefined;
  /** How long a call may take. */
  readonly callMs?: number;
  /** How long an item action may work on an item. */
  readonly actionMs?: number | undefined;
  /** Calls to the item actions of one plugin at a time. */
  readonly actionCalls?: number | undefined;
}

/** What backups and restores are given to take and use native snapshots with. */
export function snapshotsOf(deps: SnapshotDeps) {
  return {
    openSnapshots: backupSnapshots(deps),
    openSnapshotRestores: restoreSnapshots(deps),
    removeSnapshots: snapshotRemover(deps),
  };
}
