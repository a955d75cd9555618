import type { Operation } from "./operation.ts";

/** The steps of a migration, under the names of every MTC version, in words that tell what happens. */
const stepTitles: Readonly<Record<string, string>> = {
  Prepare: "Prepare",
  Backup: "Back up resources",
  VolumeBackup: "Back up volumes",
  StageBackup: "Back up volumes",
  VolumeRestore: "Restore volumes",
  StageRestore: "Restore volumes",
  Restore: "Restore resources",
  ResourceRestore: "Restore resources",
  Final: "Finish",
  DirectImage: "Copy images",
  DirectVolume: "Copy volumes",
  Cleanup: "Clean up",
  CleanupVelero: "Clean up backups",
  CleanupHelpers: "Clean up helpers",
  CleanupMigrated: "Remove migrated resources",
  CleanupUnquiesce: "Start the application again",
  Rollback: "Roll back",
  PreBackupHooks: "Hooks before backup",
  PostBackupHooks: "Hooks after backup",
  PreRestoreHooks: "Hooks before restore",
  PostRestoreHooks: "Hooks after restore",
};

const kindWords: Readonly<Record<string, string>> = {
  actionset: "Action",
  migmigration: "Migration",
  stage: "Staging",
  podvolumebackup: "Volume",
  podvolumerestore: "Volume",
  dataupload: "Volume",
  datadownload: "Volume",
  csisnapshot: "Snapshot",
  volumepluginbackup: "Snapshot",
  volumepluginrestore: "Snapshot",
};

/** Parts that are work, not things: their titles are words, which begin with a capital. */
const stepKinds: ReadonlySet<string> = new Set([
  "step",
  "action",
  "phase",
  "collect",
  "archive",
  "items",
  "volumes",
  "hooks",
  "finish",
  "volume-step",
  "snapshot-step",
]);

/** A kind of operation as a person reads it. */
export function kindWord(kind: string): string {
  return kindWords[kind] ?? capital(kind);
}

/** Whether it is the copy or the snapshot of one volume. */
export function isVolume({ kind }: Pick<Operation, "kind">): boolean {
  return kindWords[kind] === "Volume" || kindWords[kind] === "Snapshot";
}

/** The title of an operation or a part, the same wherever it is shown. */
export function titleOf({ kind, title }: Operation): string {
  if (!stepKinds.has(kind)) return title;
  return capital(kind === "step" ? (stepTitles[title] ?? title) : title);
}

/** The parts that are the steps of a row: an action set with one action shows that action's phases. */
export function stepsOf(operation: Operation): readonly Operation[] {
  const [only] = operation.children;
  const isWrapped = operation.children.length === 1 && only?.kind === "action" && only.children.length > 0;
  return isWrapped ? only.children : operation.children;
}

/** Why a step was passed over, as far as anybody told; empty for one that was not. */
export function skipReason(step: Operation, whole: Operation): string {
  if (step.state !== "skipped") return "";
  if (step.message) return step.message;
  const steps = stepsOf(whole);
  const before = steps.slice(0, steps.indexOf(step));
  if (before.some(({ state }) => state === "failed")) return "after the failure";
  if (whole.state === "canceled" || before.some(({ state }) => state === "canceled"))
    return "after the cancel";
  return whole.state === "failed" ? "never started" : "nothing to do";
}

/** The text with its first letter as a capital. */
export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
