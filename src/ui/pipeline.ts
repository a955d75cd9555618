import { formatDuration, isTerminal, type Operation } from "../progress/index.ts";
import { stalledPart } from "./order.ts";
import { counted, numbersOf } from "./words.ts";

/** A step of an operation's row. */
export interface Step {
  readonly id: string;
  readonly title: string;
  readonly operation: Operation;
  readonly variant: "pending" | "info" | "warning" | "success" | "danger" | "default";
  /** Its state for a person, beside what colour and icon say. */
  readonly state: string;
  /** One line below the title. */
  readonly description: string;
}

/** MTC's step names, those of the seed and those that shipped, in words that tell what happens. */
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

/** The operations that are the steps of a row: an action set with one action shows that action's phases. */
export function stepsOf(operation: Operation): readonly Operation[] {
  const [only] = operation.children;
  const isWrapped = operation.children.length === 1 && only?.kind === "action" && only.children.length > 0;
  return isWrapped ? only.children : operation.children;
}

/** The row of steps, each with its state in words. */
export function pipeline(operation: Operation, nowMs: number): readonly Step[] {
  const steps = stepsOf(operation);
  return steps.map((step, i) => ({
    id: step.id,
    title: titleOf(step),
    operation: step,
    ...look(step, skipReason(step, steps.slice(0, i), operation), nowMs),
  }));
}

/** The step to look at when nobody has chosen one: what runs, else what went wrong, else the last. */
export function currentStep(steps: readonly Step[]): Step | undefined {
  const running = steps.filter(({ operation }) => operation.state === "running");
  return (
    running.find(({ operation }) => operation.children.length > 0) ??
    running[0] ??
    steps.find(({ operation }) => operation.state === "failed" || operation.state === "partially-failed") ??
    steps.findLast(({ operation }) => isTerminal(operation.state) && operation.children.length > 0) ??
    steps.findLast(({ operation }) => operation.state === "completed") ??
    steps[0]
  );
}

/** A step's title for a person. */
export function titleOf(step: Operation): string {
  const title = step.kind === "step" ? (stepTitles[step.title] ?? step.title) : step.title;
  return title.charAt(0).toUpperCase() + title.slice(1);
}

/** Why a step was passed over, as far as anybody told. */
function skipReason(step: Operation, before: readonly Operation[], whole: Operation): string {
  if (step.state !== "skipped") return "";
  if (step.message) return step.message;
  if (before.some(({ state }) => state === "failed")) return "after the failure";
  if (whole.state === "canceled" || before.some(({ state }) => state === "canceled"))
    return "after the cancel";
  return "nothing to do";
}

function look(
  step: Operation,
  skipped: string,
  nowMs: number,
): Pick<Step, "variant" | "state" | "description"> {
  const took = durationOf(step, nowMs);
  switch (step.state) {
    case "pending":
      return { variant: "pending", state: "Not started", description: "" };
    case "running":
      return stalledPart(step)
        ? { variant: "warning", state: "Stalled", description: took }
        : { variant: "info", state: "Running", description: joined(took, numbersOf(step)) };
    case "completed":
      return step.warnings > 0
        ? {
            variant: "warning",
            state: "Completed",
            description: joined(took, counted(step.warnings, "warning")),
          }
        : { variant: "success", state: "Completed", description: took };
    case "partially-failed":
      return {
        variant: "warning",
        state: "Partly failed",
        description: joined(took, counted(step.errors, "error")),
      };
    case "failed":
      return { variant: "danger", state: "Failed", description: joined(took, step.message ?? "") };
    case "canceled":
      return { variant: "default", state: "Canceled", description: took };
    case "skipped":
      return { variant: "default", state: "Skipped", description: skipped };
  }
}

function durationOf({ startedAt, finishedAt }: Operation, nowMs: number): string {
  return startedAt === undefined ? "" : formatDuration(Math.max(0, (finishedAt ?? nowMs) - startedAt) / 1000);
}

function joined(...facts: readonly string[]): string {
  return facts.filter(Boolean).join(" · ");
}
