// Restores: reading a backup's archive, deciding what becomes of each item, creating it, and saying how far that is.
// Not here: pod volumes (engines/podvolume, through PodVolumeRestores), the operator's wiring, the command line.
export { actorOf, ownRights, type RestoreRights } from "./actor.ts";
export { inspectArchive } from "./archive/inspect.ts";
export { visitArchive } from "./archive/visit.ts";
export type { RestoreDeps } from "./deps.ts";
export type { OpenRestoreActions } from "./item-actions.ts";
export { type PlanFile, planRestore } from "./plan-restore.ts";
export { type Priorities, parsePriorities } from "./priorities.ts";
export { startRestoreController } from "./restore-controller.ts";
export type { OpenSnapshotRestores } from "./snapshots.ts";
export type { PodVolumeRestores } from "./volumes.ts";
