// Running data movers, each of them a folder and a line in the registry: their arguments, their output as samples, their processes.
// Not here: which volumes, when, and what is written into the cluster.

export type { FileEntry, Listing } from "./contents/reader.ts";
export type { MoverLine } from "./definition.ts";
export { findMovers, moverCache, moverFolders } from "./find.ts";
export { install, machine, planInstall, quickestMover } from "./install.ts";
export { listMovers, makeMover } from "./list.ts";
export type {
  BackupRequest,
  Mover,
  MoverOptions,
  Place,
  Repository,
  RestoreRequest,
  Witness,
} from "./mover.ts";
export { endOrphans, orphans } from "./orphans.ts";
export { claimSource, defaultPassword, movedTags, repositoryPlace, volumeSource } from "./place.ts";
export { readMoverLine } from "./progress-line.ts";
export {
  definitionOf,
  type MoverKind,
  moverKind,
  moverKinds,
  snapshotMover,
  unnamedMover,
  usualMover,
} from "./registry.ts";
export {
  quote,
  type ShellMover,
  type ShellPlace,
  type ShellRestore,
  type ShellSecrets,
  type ShellSnapshot,
  type ShellSummary,
  withScheme,
} from "./shell.ts";
export { silenceOf } from "./silence.ts";
export { type DataTask, type DataWork, readTask, runTask } from "./task.ts";
export {
  type ProcessLine,
  processMark,
  readMovedLine,
  readProcessLine,
  resultMark,
  totalMark,
  waitMark,
} from "./task-lines.ts";
export { connectionOf, type Look, type OnLook, Vitals } from "./vitals.ts";
