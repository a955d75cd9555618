// What a plugin module imports as `headway/snapshotter`: the interface it implements and two helpers for progress.
// Nothing of the operator lives here.
export type {
  PersistentVolume,
  PluginContext,
  PluginProgress,
  SnapshotRequest,
  SnapshotterFactory,
  Snapshotters,
  VolumeRequest,
  VolumeSnapshotter,
} from "./contract.ts";
export { ProgressBook, type ReportBytes } from "./progress-book.ts";
export { openReporter, type Report, type Reporter } from "./reporter.ts";
