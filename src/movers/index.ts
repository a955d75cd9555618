// Running restic and kopia: their arguments, their output as samples, their processes.
// Not here: which volumes, when, and what is written into the cluster.
export { findMovers, moverCache, moverFolders } from "./find.ts";
export { install, machine, planInstall } from "./install.ts";
export { Kopia } from "./kopia/run.ts";
export { type Found, listMovers, makeMover, moverKinds } from "./list.ts";
export type {
  BackupRequest,
  BackupResult,
  Mover,
  MoverKind,
  MoverOptions,
  OnProgress,
  Place,
  Repository,
  RestoreRequest,
  RestoreResult,
  S3Keys,
  S3Place,
} from "./mover.ts";
export { endOrphans, orphans } from "./orphans.ts";
export { defaultPassword, placeText, repositoryPlace, volumeSource } from "./place.ts";
export { type MoverLine, readMoverLine } from "./progress-line.ts";
export { Restic } from "./restic/run.ts";
