import { findCondition } from "../../api/index.ts";
import { mayHaveStarted, type PhaseName, phaseOf } from "./itinerary.ts";
import { agentsRestarted, restartAgents } from "./phases/agents.ts";
import { annotate, unannotate } from "./phases/annotate.ts";
import {
  backupDone,
  backupReplicated,
  createBackup,
  deleteBackups,
  deleteRestores,
} from "./phases/backups.ts";
import { hook } from "./phases/hooks.ts";
import { deleteMigrated, migratedDeleted, unlabel } from "./phases/migrated.ts";
import { prepare, storeUsable } from "./phases/prepare.ts";
import { quiesceAll, quiesced, unquiesceAll } from "./phases/quiesce.ts";
import { createFinalRestore, createStageRestore, restoreDone } from "./phases/restores.ts";
import {
  fromOrphans,
  fromRunning,
  fromTemplates,
  stagePodsDeleted,
  stagePodsRunning,
  stagePodsTerminated,
} from "./phases/stage-pods.ts";
import { verify } from "./phases/verify.ts";
import { advance, type Handler } from "./run.ts";

const nothing: Handler = async () => advance;

/** A stage run copies volumes and nothing else. */
const started: Handler = async ({ migration, flags }) => {
  if (migration.status?.itinerary !== "Stage" || flags.volumes) return advance;
  const message = "The plan has no volumes to copy: a stage run does nothing.";
  return { do: "advance", warnings: [{ type: "StageNoOp", message }] };
};

/**
 * Where nothing runs on the destination, the source comes back. Where something may, two applications would write at once: what is
 * to stay is then its owner's choice, and by default all is left as it is.
 */
const failed: Handler = async ({ settings, migration }) => {
  const phase = phaseOf(findCondition(migration.status?.conditions, "Failed")?.reason);
  const isStarted = phase !== undefined && mayHaveStarted(phase);
  return settings.rollback || !isStarted ? advance : { do: "advance", to: "Completed" };
};

/** What each phase does. */
export const handlers: Readonly<Record<PhaseName, Handler>> = {
  Created: nothing,
  Started: started,
  Prepare: prepare,
  EnsureCloudSecretPropagated: storeUsable,
  PreBackupHooks: hook("PreBackup"),
  EnsureInitialBackup: createBackup("initialBackup"),
  InitialBackupCreated: backupDone("initialBackup", "VeleroInitialBackupPartiallyFailed"),
  EnsureStagePodsFromRunning: fromRunning,
  EnsureStagePodsFromTemplates: fromTemplates,
  EnsureStagePodsFromOrphanedPVCs: fromOrphans,
  StagePodsCreated: stagePodsRunning,
  AnnotateResources: annotate,
  RestartRestic: restartAgents,
  ResticRestarted: agentsRestarted,
  QuiesceApplications: quiesceAll,
  EnsureQuiesced: quiesced,
  EnsureStageBackup: createBackup("stageBackup"),
  StageBackupCreated: backupDone("stageBackup", "VeleroStageBackupPartiallyFailed"),
  EnsureStageBackupReplicated: backupReplicated("stageBackup"),
  EnsureStageRestore: createStageRestore,
  StageRestoreCreated: restoreDone("stageRestore", "VeleroStageRestorePartiallyFailed"),
  EnsureStagePodsDeleted: stagePodsDeleted,
  EnsureStagePodsTerminated: stagePodsTerminated,
  EnsureAnnotationsDeleted: unannotate,
  EnsureInitialBackupReplicated: backupReplicated("initialBackup"),
  PostBackupHooks: hook("PostBackup"),
  PreRestoreHooks: hook("PreRestore"),
  EnsureFinalRestore: createFinalRestore,
  FinalRestoreCreated: restoreDone("finalRestore", "VeleroFinalRestorePartiallyFailed"),
  EnsureLabelsDeleted: unlabel,
  PostRestoreHooks: hook("PostRestore"),
  Verification: verify,
  Completed: nothing,
  Rollback: nothing,
  MigrationFailed: failed,
  DeleteMigrated: deleteMigrated,
  EnsureMigratedDeleted: migratedDeleted,
  UnQuiesceApplications: unquiesceAll,
  Canceling: async () => ({ do: "advance", marks: { Canceling: "The migration is being canceled." } }),
  DeleteBackups: deleteBackups,
  DeleteRestores: deleteRestores,
  Canceled: async () => ({
    do: "advance",
    marks: { Canceling: undefined, Canceled: "The migration has been canceled." },
  }),
};
