import { startBackupController } from "../engines/backup/index.ts";
import type { OperatorDeps, Registration } from "./deps.ts";
import { noPodVolumes } from "./no-volumes.ts";

/** Every controller of the operator: one line each. */
export const registrations: readonly Registration[] = [
  { name: "backup", start: (deps, signal) => startBackupController(forBackups(deps), signal) },
];

function forBackups(deps: OperatorDeps) {
  return { ...deps, openPodVolumes: noPodVolumes, defaults: deps.backupDefaults };
}
