import {
  adviceFor,
  adviceOf,
  capital,
  counted,
  formatProgress,
  formatStall,
  headline,
  isTerminal,
  numbersOf,
  type Operation,
  stalledParts,
  stateWords,
  stepsOf,
  titleOf,
} from "../progress/index.ts";

/** Something a person should know first. */
export interface Problem {
  readonly key: string;
  readonly level: "danger" | "warning" | "info";
  readonly title: string;
  /** What was said about it. */
  readonly text?: string;
  /** What to do about it. */
  readonly advice?: string;
}

/** Failures first, then what stands still or waits for help, then warnings. */
export function problemsOf(operation: Operation, nowMs: number): readonly Problem[] {
  const stuck = stalls(operation, nowMs);
  return [
    ...failures(operation),
    ...(stuck.length > 0 ? stuck : waits(operation, nowMs)),
    ...remarks(operation),
  ];
}

function failures(operation: Operation): readonly Problem[] {
  const { state, title, message, errors } = operation;
  if (state !== "failed" && state !== "partially-failed") return [];
  const steps = stepsOf(operation);
  const where =
    steps.find((step) => step.state === "failed") ?? steps.find((step) => step.state === "partially-failed");
  const said = message ?? where?.message ?? (errors > 0 ? counted(errors, "error") : undefined);
  return [
    {
      key: "failed",
      level: state === "failed" ? "danger" : "warning",
      title: `${title} ${stateWords[state]}${where ? `: ${titleOf(where)}` : ""}`,
      ...(said !== undefined && { text: said }),
    },
  ];
}

function stalls(operation: Operation, nowMs: number): readonly Problem[] {
  return stalledParts(operation).flatMap(({ stall, ...part }, i) =>
    stall
      ? {
          key: `stalled/${i}/${part.id}`,
          level: "warning" as const,
          title: `${titleOf(part)}: ${formatStall(stall, nowMs)}`,
          advice: adviceFor(stall.cause),
        }
      : [],
  );
}

/** A wait that a person can do something about. */
function waits(operation: Operation, nowMs: number): readonly Problem[] {
  const advice = adviceOf(operation);
  return advice === undefined
    ? []
    : [{ key: "waits", level: "info", title: capital(headline(operation, nowMs)), advice }];
}

function remarks(operation: Operation): readonly Problem[] {
  const found: Problem[] = [];
  const { scopeGrew, progress, warnings, state } = operation;
  if (scopeGrew?.held && progress && !isTerminal(state)) {
    found.push({
      key: "grew",
      level: "info",
      title: "There is more to do than was counted at first",
      text: `The bar holds until the work has caught up: ${numbersOf(operation) || formatProgress(progress)}.`,
    });
  }
  // Those of a backup or a restore that has ended are listed one by one.
  const isListed = isTerminal(state) && (operation.ref.kind === "Backup" || operation.ref.kind === "Restore");
  if (warnings > 0 && !isListed) {
    found.push({
      key: "warnings",
      level: "warning",
      title: counted(warnings, "warning"),
    });
  }
  return found;
}
