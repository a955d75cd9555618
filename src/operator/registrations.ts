import { startActionSetController } from "../engines/actionset/index.ts";
import {
  startBackupController,
  startDeletionController,
  startDownloadController,
  startGcController,
  startLocationController,
  startScheduleController,
  startServerStatusController,
  startSyncController,
} from "../engines/backup/index.ts";
import { startMigrationControllers } from "../engines/migration/index.ts";
import { startRestoreController } from "../engines/restore/index.ts";
import { startRecordKeeper } from "../engines/snapshotter/index.ts";
import type { OperatorDeps, Registration } from "./deps.ts";
import { startDrills } from "./drills.ts";

/** Every controller of the operator: one line each. */
export const registrations: readonly Registration[] = [
  { name: "location", start: (deps, signal) => startLocationController(forBackups(deps), signal) },
  { name: "backup", start: (deps, signal) => startBackupController(forBackups(deps), signal) },
  { name: "schedule", start: (deps, signal) => startScheduleController(forBackups(deps), signal) },
  { name: "backup-sync", start: (deps, signal) => startSyncController(forBackups(deps), signal) },
  { name: "snapshot-records", start: (deps, signal) => startRecordKeeper(deps, signal) },
  { name: "gc", start: (deps, signal) => startGcController(forBackups(deps), signal) },
  { name: "backup-deletion", start: (deps, signal) => startDeletionController(forBackups(deps), signal) },
  { name: "download-request", start: (deps, signal) => startDownloadController(forBackups(deps), signal) },
  { name: "server-status", start: (deps, signal) => startServerStatusController(forBackups(deps), signal) },
  { name: "restore", start: (deps, signal) => startRestoreController(deps, signal) },
  { name: "actionset", start: (deps, signal) => startActionSetController(deps, signal) },
  { name: "backup-repo", start: (deps, signal) => deps.repositories.run(signal) },
  { name: "migration", start: (deps, signal) => startMigrationControllers(deps, signal) },
  { name: "drill", start: (deps, signal) => startDrills(deps, signal) },
];

function forBackups(deps: OperatorDeps) {
  return { ...deps, defaults: deps.backupDefaults };
}
