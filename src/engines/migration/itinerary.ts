/** The smallest state of a migration, as `status.phase` names it; the empty text of the resource is `Created` here. */
export type PhaseName = (typeof phaseNames)[number];
/** A group of phases that a person sees. */
export type StepName = "Prepare" | "Backup" | "VolumeBackup" | "VolumeRestore" | "Restore" | "Final";
/** A list of phases; exactly one is followed at a time. */
export type ItineraryName = "Final" | "Stage" | "Failed" | "Cancel" | "Rollback";

/** What decides whether a phase is done or passed over. */
export interface Flags {
  /** The plan has a volume whose action is not `skip`. */
  readonly volumes: boolean;
  /** There are stage pods. */
  readonly stagePods: boolean;
  readonly quiesce: boolean;
  readonly verify: boolean;
  /** What was migrated is deleted after a failure. */
  readonly undo: boolean;
}

/** A phase at its place in an itinerary. */
export interface Stop {
  readonly phase: PhaseName;
  readonly step: StepName;
  /** Absent: always done. */
  readonly needs?: keyof Flags;
}

/** Every phase that is part of an itinerary. */
export const phaseNames = [
  "Created",
  "Started",
  "Prepare",
  "EnsureCloudSecretPropagated",
  "PreBackupHooks",
  "EnsureInitialBackup",
  "InitialBackupCreated",
  "EnsureStagePodsFromRunning",
  "EnsureStagePodsFromTemplates",
  "EnsureStagePodsFromOrphanedPVCs",
  "StagePodsCreated",
  "AnnotateResources",
  "RestartRestic",
  "ResticRestarted",
  "QuiesceApplications",
  "EnsureQuiesced",
  "EnsureStageBackup",
  "StageBackupCreated",
  "EnsureStageBackupReplicated",
  "EnsureStageRestore",
  "StageRestoreCreated",
  "EnsureStagePodsDeleted",
  "EnsureStagePodsTerminated",
  "EnsureAnnotationsDeleted",
  "EnsureInitialBackupReplicated",
  "PostBackupHooks",
  "PreRestoreHooks",
  "EnsureFinalRestore",
  "FinalRestoreCreated",
  "EnsureLabelsDeleted",
  "PostRestoreHooks",
  "Verification",
  "Completed",
  "MigrationFailed",
  "DeleteMigrated",
  "EnsureMigratedDeleted",
  "UnQuiesceApplications",
  "Canceling",
  "DeleteBackups",
  "DeleteRestores",
  "Canceled",
  "Rollback",
] as const;

type Row = readonly [PhaseName, (keyof Flags | undefined)?];

const stops = (step: StepName, ...rows: readonly Row[]): readonly Stop[] =>
  rows.map(([phase, needs]) => ({ phase, step, ...(needs && { needs }) }));

const prepare = stops("Prepare", ["Created"], ["Started"], ["Prepare"], ["EnsureCloudSecretPropagated"]);
const volumeSteps = [
  ...stops(
    "VolumeBackup",
    ["EnsureStagePodsFromRunning", "volumes"],
    ["EnsureStagePodsFromTemplates", "volumes"],
    ["EnsureStagePodsFromOrphanedPVCs", "volumes"],
    ["StagePodsCreated", "stagePods"],
    ["AnnotateResources", "volumes"],
    ["RestartRestic", "stagePods"],
    ["ResticRestarted", "stagePods"],
    ["QuiesceApplications", "quiesce"],
    ["EnsureQuiesced", "quiesce"],
    ["EnsureStageBackup", "volumes"],
    ["StageBackupCreated", "volumes"],
    ["EnsureStageBackupReplicated", "volumes"],
  ),
  ...stops(
    "VolumeRestore",
    ["EnsureStageRestore", "volumes"],
    ["StageRestoreCreated", "volumes"],
    ["EnsureStagePodsDeleted", "stagePods"],
    ["EnsureStagePodsTerminated", "stagePods"],
  ),
];
const undo = (deletes?: "undo"): readonly Row[] => [
  ["EnsureStagePodsDeleted", "stagePods"],
  ["EnsureAnnotationsDeleted", "volumes"],
  ["DeleteMigrated", deletes],
  ["EnsureMigratedDeleted", deletes],
  ["UnQuiesceApplications", "quiesce"],
];

/** The four itineraries of MTC with their flags, and one that undoes runs that have ended. */
export const itineraries: Readonly<Record<ItineraryName, readonly Stop[]>> = {
  Final: [
    ...prepare,
    ...stops("Backup", ["PreBackupHooks"], ["EnsureInitialBackup"], ["InitialBackupCreated"]),
    ...volumeSteps,
    ...stops(
      "Restore",
      ["EnsureAnnotationsDeleted", "volumes"],
      ["EnsureInitialBackupReplicated"],
      ["PostBackupHooks"],
      ["PreRestoreHooks"],
      ["EnsureFinalRestore"],
      ["FinalRestoreCreated"],
      ["EnsureLabelsDeleted"],
      ["PostRestoreHooks"],
    ),
    ...stops("Final", ["Verification", "verify"], ["Completed"]),
  ],
  Stage: [
    ...prepare,
    ...volumeSteps,
    ...stops("Final", ["EnsureAnnotationsDeleted", "volumes"], ["EnsureLabelsDeleted"], ["Completed"]),
  ],
  Failed: stops("Final", ["MigrationFailed"], ...undo("undo"), ["Completed"]),
  // MTC's list ends with Canceled; every reader takes Completed for the end.
  Cancel: stops(
    "Final",
    ["Canceling"],
    ["DeleteBackups"],
    ["DeleteRestores"],
    ...undo(),
    ["Canceled"],
    ["Completed"],
  ),
  // What earlier runs did is not known from this one, so that nothing is passed over.
  Rollback: [
    ...stops("Prepare", ["Created"], ["Rollback"]),
    ...stops("Final", ["DeleteBackups"], ["DeleteRestores"], ...undo().map(([phase]): Row => [phase]), [
      "Completed",
    ]),
  ],
};

/** Phases that a failure passes through between the phase that failed and the itinerary Failed. */
export const failurePhases: Readonly<Partial<Record<PhaseName, string>>> = {
  PreBackupHooks: "PreBackupHooksFailed",
  PostBackupHooks: "PostBackupHooksFailed",
  PreRestoreHooks: "PreRestoreHooksFailed",
  PostRestoreHooks: "PostRestoreHooksFailed",
  EnsureInitialBackup: "InitialBackupFailed",
  InitialBackupCreated: "InitialBackupFailed",
  EnsureStagePodsFromRunning: "StagePodsFailed",
  EnsureStagePodsFromTemplates: "StagePodsFailed",
  EnsureStagePodsFromOrphanedPVCs: "StagePodsFailed",
  StagePodsCreated: "StagePodsFailed",
  EnsureStageBackup: "StageBackupFailed",
  StageBackupCreated: "StageBackupFailed",
  EnsureStageRestore: "StageRestoreFailed",
  StageRestoreCreated: "StageRestoreFailed",
  EnsureFinalRestore: "FinalRestoreFailed",
  FinalRestoreCreated: "FinalRestoreFailed",
};

/** The phase of a resource's text; undefined for one that no itinerary has. */
export function phaseOf(text: string | undefined): PhaseName | undefined {
  return text ? phaseNames.find((name) => name === text) : "Created";
}

/** The itinerary of a resource's text. */
export function itineraryNamed(text: string | undefined): ItineraryName | undefined {
  return text !== undefined && Object.hasOwn(itineraries, text) ? (text as ItineraryName) : undefined;
}

/** Whether a run that failed in this phase may have started the application on the destination. */
export function mayHaveStarted(phase: PhaseName): boolean {
  const all = itineraries.Final.map((stop) => stop.phase);
  return all.indexOf(phase) >= all.indexOf("FinalRestoreCreated");
}

/** The n and the total of `Step: n/total`; 0 for a phase that the itinerary does not have. */
export function position(
  itinerary: ItineraryName,
  phase: PhaseName,
): { readonly at: number; readonly of: number } {
  const all = itineraries[itinerary];
  return { at: all.findIndex((stop) => stop.phase === phase) + 1, of: all.length };
}

/** The step of a phase, which depends on the itinerary. */
export function stepOf(itinerary: ItineraryName, phase: PhaseName): StepName | undefined {
  return itineraries[itinerary].find((stop) => stop.phase === phase)?.step;
}

/** The steps of an itinerary in their order. */
export function stepsOf(itinerary: ItineraryName): readonly StepName[] {
  return [...new Set(itineraries[itinerary].map(({ step }) => step))];
}

/** The next phase to do, and those passed over on the way; a phase that is not in the itinerary leads to its end. */
export function nextPhase(
  itinerary: ItineraryName,
  phase: PhaseName,
  flags: Flags,
): { readonly phase: PhaseName; readonly skipped: readonly PhaseName[] } {
  const all = itineraries[itinerary];
  const at = all.findIndex((stop) => stop.phase === phase);
  const rest = at < 0 ? [] : all.slice(at + 1);
  const skipped: PhaseName[] = [];
  for (const stop of rest) {
    if (stop.needs === undefined || flags[stop.needs]) return { phase: stop.phase, skipped };
    skipped.push(stop.phase);
  }
  return { phase: "Completed", skipped };
}

/** Which itinerary is followed: a failure comes before a cancel, and neither is ever taken back. */
export function chooseItinerary(given: {
  readonly failed: boolean;
  readonly canceled: boolean;
  readonly rollback: boolean;
  readonly stage: boolean;
}): ItineraryName {
  if (given.failed) return "Failed";
  if (given.canceled) return "Cancel";
  if (given.rollback) return "Rollback";
  return given.stage ? "Stage" : "Final";
}
