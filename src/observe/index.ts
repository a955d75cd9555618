// Any custom resource, ours or upstream's, becomes an operation; relations, stall causes, history of finished runs.
// Drawing it (cli, ui) and doing the work (engines) do not live here.
export { withDetails } from "./details.ts";
export { observeActionSet } from "./kanister.ts";
export { observeMigration } from "./migration.ts";
export { type Frame, Observer, type ObserverOptions } from "./observer.ts";
export { rootKinds, rootOf, volumeKinds } from "./relations.ts";
export { observeBackup, observeRestore, observeVolume, type VolumeObject } from "./velero.ts";
