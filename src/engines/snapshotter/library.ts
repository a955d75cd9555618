// What a plugin module imports as `headway/snapshotter`: the interface it implements and two helpers for progress.
// Nothing of the operator lives here.
export type {
  BackupItemActions,
  DeleteItemActions,
  ItemBlockActions,
  PersistentVolume,
  PluginContext,
  PluginProgress,
  RestoreItemActions,
  SnapshotRequest,
  SnapshotterFactory,
  Snapshotters,
  VolumeRequest,
  VolumeSnapshotter,
} from "../../plugins/index.ts";
export { ProgressBook, type ReportBytes } from "../../plugins/index.ts";
export { openReporter, type Report, type Reporter } from "./reporter.ts";
