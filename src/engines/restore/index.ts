// Restores: reading a backup's archive, deciding what becomes of each item, creating it, and saying how far that is.
// Not here: pod volumes (engines/podvolume, through PodVolumeRestores), the operator's wiring, the command line.
export type { RestoreRights } from "./actor.ts";
export type { Item, ItemMeta } from "./archive/item-json.ts";
export type { RestoreDeps } from "./deps.ts";
export { defaultPriorities, type Priorities, parsePriorities } from "./priorities.ts";
export { startRestoreController } from "./restore-controller.ts";
export type {
  OpenSnapshotRestores,
  SnapshotRestores,
  SnapshotRestoresContext,
} from "./snapshots.ts";
export type { PodVolumeRestores, PodWithVolumes, VolumeResult } from "./volumes.ts";
