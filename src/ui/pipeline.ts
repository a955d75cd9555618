import {
  capital,
  counted,
  doneWords,
  formatDuration,
  isTerminal,
  numbersOf,
  type Operation,
  shownState,
  skipReason,
  stateWords,
  stepsOf,
  titleOf,
} from "../progress/index.ts";

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

/** The row of steps, each with its state in words. */
export function pipeline(operation: Operation, nowMs: number): readonly Step[] {
  return stepsOf(operation).map((step) => ({
    id: step.id,
    title: titleOf(step),
    operation: step,
    variant: variantOf(step),
    state:
      step.state === "pending" && shownState(step) !== "stalled"
        ? "Not started"
        : capital(stateWords[shownState(step)]),
    description: describe(step, operation, nowMs),
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

/** Colour and icon: what failed is red, also when only part of it did, so that the eye finds it. */
function variantOf(step: Operation): Step["variant"] {
  switch (shownState(step)) {
    case "pending":
      return "pending";
    case "running":
      return "info";
    case "stalled":
      return "warning";
    case "completed":
      return step.warnings > 0 ? "warning" : "success";
    case "failed":
    case "partially-failed":
      return "danger";
    case "canceled":
    case "skipped":
      return "default";
  }
}

function describe(step: Operation, whole: Operation, nowMs: number): string {
  const took = durationOf(step, nowMs);
  switch (step.state) {
    case "pending":
      return "";
    case "running":
      return joined(took, shownState(step) === "stalled" ? "" : numbersOf(step));
    case "completed":
      return joined(took, step.warnings > 0 ? counted(step.warnings, "warning") : "");
    case "partially-failed":
      return joined(took, step.errors > 0 ? counted(step.errors, "error") : doneWords(step));
    case "failed":
      return joined(took, step.message ?? "");
    case "canceled":
      return took;
    case "skipped":
      return skipReason(step, whole);
  }
}

function durationOf({ startedAt, finishedAt }: Operation, nowMs: number): string {
  return startedAt === undefined ? "" : formatDuration(Math.max(0, (finishedAt ?? nowMs) - startedAt) / 1000);
}

function joined(...facts: readonly string[]): string {
  return facts.filter(Boolean).join(" · ");
}
