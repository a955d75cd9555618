import { backupSnapshots, Plugins, restoreSnapshots, snapshotRemover } from "../engines/snapshotter/index.ts";
import type { StatusWriter } from "../kube/index.ts";
import type { OperatorDeps } from "./deps.ts";

/** Where plugins come from. */
export interface PluginOptions {
  /** Folders with plugin programs and modules. */
  readonly folders?: readonly string[] | undefined;
  /** Modules by path or package name. */
  readonly modules?: readonly string[] | undefined;
  /** The file that names the cluster, for plugins that talk to it. */
  readonly kubeconfig?: string | undefined;
}

/** What backups and restores are given to take and use native snapshots with. */
export function snapshotsOf(
  deps: Pick<OperatorDeps, "client" | "namespace" | "clock" | "log" | "tempDir"> & {
    readonly status: StatusWriter;
  },
  options: PluginOptions = {},
) {
  const plugins = new Plugins({ ...deps, ...options });
  const given = { ...deps, plugins };
  return {
    plugins,
    openSnapshots: backupSnapshots(given),
    openSnapshotRestores: restoreSnapshots(given),
    removeSnapshots: snapshotRemover(given),
  };
}
