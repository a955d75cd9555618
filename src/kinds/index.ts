// One home for each kind that is an operation: its phases, how it is read and how its status is written. Pure.
// Not here: talking to the API server (kube), folding what is read (progress, report), doing the work (engines).
export { isActionEnded } from "./actionset/phase.ts";
export {
  type ActionTold,
  type Part,
  type PhaseTold,
  type SetTold,
  tellActionSet,
  type Work,
} from "./actionset/tell.ts";
export { type ActionSetFacts, type PercentFormat, writeActionSet } from "./actionset/write.ts";
export { drillPhaseOf, isDrillEnded, isDrillSchedule } from "./drill/phase.ts";
export { type DrillStep, readStep, type StoredStep, tellDrill } from "./drill/read.ts";
export { headlineOf, lineOf, type MigDetail, wordsOf, writeDetail, writeLines } from "./migration/write.ts";
export { idOf } from "./reading.ts";
export {
  cancelPatch,
  errandOf,
  isOperation,
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

export { type FindingPlace, Findings, findingPlace, logLine, type Result } from "./run/findings.ts";
export {
  countOperations,
  type ItemOperation,
  isOperationEnded,
  isRunUnderWay,
  lastPhase,
} from "./run/operations.ts";
export { isRunEnded, runPhaseOf } from "./run/phase.ts";
export { reasonOf, verdictWords, volumeTimeWords, wholeTimeWords } from "./run/plan-words.ts";
export {
  needsLook,
  type PlannedData,
  type PlannedItem,
  type PlannedTime,
  PlanTally,
  type RestorePlan,
  type Verdict,
  verdicts,
} from "./run/restore-plan.ts";
export {
  type BackupTold,
  type PlannedVolume,
  type RestoreTold,
  tellBackup,
  tellEnd,
  tellRestore,
} from "./run/tell.ts";
export { carriedOf, writeCarried } from "./volume/carried-note.ts";
export { readExpected, writeExpected } from "./volume/expected-note.ts";

export { isVolumeEnded, volumePhaseOf, volumeStateOf } from "./volume/phase.ts";
export { readCopy, readVolume, type VolumeObject } from "./volume/read.ts";
export { type AgentStall, writeBusy, writeStall } from "./volume/stall-note.ts";
export { type VolumeStep, writeStep } from "./volume/step-note.ts";
export { tellSnapshot } from "./volume/tell-snapshot.ts";
export { alongTrail, type MovementStep, readTrail, type Trail, writeTrail } from "./volume/trail.ts";
