// One home for each kind that is an operation: its phases, how it is read and how its status is written. Pure.
// Not here: talking to the API server (kube), folding what is read (progress, report), doing the work (engines).
export { actionStateOf, isActionEnded } from "./actionset/phase.ts";
export { isMigrationEnded } from "./migration/phase.ts";
export { idOf, refOf } from "./reading.ts";
export {
  cancelPatch,
  errandOf,
  type RootName,
  type RootObject,
  readRoot,
  rootKinds,
  rootStateOf,
  samenessOf,
  volumeKinds,
} from "./registry.ts";
export { rootOf } from "./relations.ts";
export { isRunEnded, runPhaseOf, runStateOf } from "./run/phase.ts";
export { isVolumeEnded, volumePhaseOf, volumeStateOf } from "./volume/phase.ts";
export { readVolume, type VolumeObject } from "./volume/read.ts";
