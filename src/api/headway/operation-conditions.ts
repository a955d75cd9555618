import { headline, isTerminal, type Operation, obstacle, stalledPart } from "../../progress/index.ts";
import { formatTime } from "../conventions/time.ts";

/** A condition as kstatus, kubectl wait and GitOps tools read it. */
export interface OperationCondition {
  readonly type: "Ready" | "Reconciling" | "Stalled" | "Complete" | "Failed";
  readonly status: "True" | "False";
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime?: string;
}

/**
 * The conditions of an operation, made of nothing but the operation, so that writing them again changes nothing. `Ready` is always there; the others are there
 * only while they hold, as kstatus wants it: `Reconciling` while the work moves, `Stalled` when it stands still (with the cause as reason) or ended badly,
 * `Complete` and `Failed` as a Job has them.
 */
export function conditionsOf(operation: Operation): readonly OperationCondition[] {
  const { state, startedAt, finishedAt } = operation;
  if (!isTerminal(state)) return [...unfinished(operation), ready("False", operation, startedAt)];
  const message = headline(operation);
  const ended = (type: OperationCondition["type"]) =>
    condition(type, "True", reasons[state], message, finishedAt);
  const isGood = state === "completed" || state === "skipped";
  return [
    ...(isGood ? [ended("Complete")] : [ended("Failed"), ended("Stalled")]),
    ready(isGood ? "True" : "False", operation, finishedAt),
  ];
}

function unfinished(operation: Operation): OperationCondition[] {
  const stall = stalledPart(operation)?.stall;
  const message = obstacle(operation) ?? (operation.state === "pending" ? "not begun yet" : "in progress");
  if (stall) return [condition("Stalled", "True", pascal(stall.cause), message, stall.since)];
  return [condition("Reconciling", "True", reasons[operation.state], message, operation.startedAt)];
}

function ready(status: "True" | "False", operation: Operation, at: number | undefined): OperationCondition {
  const message = isTerminal(operation.state) ? headline(operation) : "not over yet";
  return condition("Ready", status, reasons[operation.state], message, at);
}

function condition(
  type: OperationCondition["type"],
  status: "True" | "False",
  reason: string,
  message: string,
  at: number | undefined,
): OperationCondition {
  const time = at === undefined ? {} : { lastTransitionTime: formatTime(at) };
  return { type, status, reason, message, ...time };
}

const reasons: Readonly<Record<Operation["state"], string>> = {
  pending: "Pending",
  running: "Running",
  completed: "Completed",
  "partially-failed": "PartiallyFailed",
  failed: "Failed",
  canceled: "Canceled",
  skipped: "Skipped",
};

/** `agent-missing` as reasons are written: `AgentMissing`. */
function pascal(cause: string): string {
  return cause.replaceAll(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
