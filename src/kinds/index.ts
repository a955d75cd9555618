// One home for each kind that is an operation: its phases, how it is read and how its status is written. Pure.
// Not here: talking to the API server (kube), folding what is read (progress, report), doing the work (engines).
export { actionStateOf, isActionEnded } from "./actionset/phase.ts";
export {
  type ActionTold,
  type Part,
  type PhaseTold,
  type SetTold,
  tellActionSet,
  type Work,
} from "./actionset/tell.ts";
export { type ActionSetFacts, type PercentFormat, writeActionSet } from "./actionset/write.ts";
export { isMigrationEnded } from "./migration/phase.ts";
export { headlineOf, lineOf, type MigDetail, wordsOf, writeDetail, writeLines } from "./migration/write.ts";
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
  writeStatus,
} from "./registry.ts";
export { rootOf } from "./relations.ts";
export { isRunEnded, runPhaseOf, runStateOf } from "./run/phase.ts";
export { type BackupTold, type RestoreTold, tellBackup, tellEnd, tellRestore } from "./run/tell.ts";
export { isVolumeEnded, volumePhaseOf, volumeStateOf } from "./volume/phase.ts";
export { readVolume, type VolumeObject } from "./volume/read.ts";
export { type AgentStall, writeStall } from "./volume/stall-note.ts";
