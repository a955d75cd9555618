// Plugins: finding them, starting programs and modules, the wire to them, and the plugin that comes along.
// What is done with a snapshotter, a store or an item action is decided by the rooms that use it.
export { type Applies, appliesOf } from "./actions/applies.ts";
export type { ActionOutput } from "./actions/calls.ts";
export type { ActionProgress, ItemId } from "./actions/contract.ts";
export type { OpenedAction } from "./actions/opened-actions.ts";
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
} from "./contract.ts";
export { isCutShort } from "./guard.ts";
export { type OpenedSnapshotter, type PluginInfo, Plugins } from "./plugins.ts";
export { ProgressBook, type ReportBytes } from "./progress-book.ts";
