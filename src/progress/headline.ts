import { counted, doneWords, numbersOf } from "./done.ts";
import { formatDuration, formatEta } from "./format.ts";
import { isTerminal, type Operation, type State } from "./operation.ts";
import { formatStall } from "./stall-words.ts";
import { stalledPart, stalledParts } from "./stalled-part.ts";
import { isVolume, titleOf } from "./steps.ts";
import { waitOf, waitWords } from "./wait.ts";

/** A state in words, for the middle of a sentence. */
export const stateWords: Readonly<Record<State | "stalled", string>> = {
  pending: "waiting",
  running: "running",
  completed: "completed",
  "partially-failed": "partially failed",
  failed: "failed",
  canceled: "canceled",
  skipped: "skipped",
  stalled: "stalled",
};

/**
 * The one sentence on an operation: how it ended, else where it is stuck, else what it waits for, else the time left.
 * Without a clock a stall is told by the moment it began, for text that is read later.
 */
export function headline(operation: Operation, nowMs?: number): string {
  if (isTerminal(operation.state)) return endWords(operation);
  return obstacle(operation, nowMs) ?? (operation.eta ? formatEta(operation.eta) : "");
}

/** How an operation that is over ended, in a sentence that stands alone: what it was, the headline, what was done. */
export function summary(operation: Operation): string {
  const done = operation.state === "completed" ? numbersOf(operation) : doneWords(operation);
  return `${titleOf(operation)} ${headline(operation)}${done === "" ? "" : ` (${done})`}`;
}

/** Why it does not move; undefined while it does. */
export function obstacle(operation: Operation, nowMs?: number): string | undefined {
  const part = stalledPart(operation);
  if (part?.stall) {
    const others = stalledParts(operation).length - 1;
    const more = others > 0 ? ` and ${others} more` : "";
    const where = part === operation ? "" : `${titleOf(part)}${more}: `;
    // What is waited for is often in the words of the driver, the scheduler or the plugin.
    const knows = isVolume(part) || part.stall.cause === "plugin-silent";
    const wait = knows && part.waitingFor ? `; ${waitWords(part.waitingFor)}` : "";
    return `${where}${formatStall(part.stall, nowMs)}${wait}`;
  }
  const wait = waitOf(operation);
  return wait && waitWords(wait);
}

/** The deepest part that failed, and so the one to mark; one that failed in part only when none failed. */
export function failedPart(operation: Operation): Operation | undefined {
  const { children } = operation;
  const found =
    children.find(({ state }) => state === "failed") ??
    children.find(({ state }) => state === "partially-failed");
  // A volume speaks for its steps: they have no words of their own.
  return found && ((isVolume(found) ? undefined : failedPart(found)) ?? found);
}

/** `failed after 41s, 2 errors: no room`. */
function endWords(operation: Operation): string {
  const { state, errors, warnings, message } = operation;
  const took = tookWords(operation);
  const part = state === "completed" || message !== undefined ? undefined : failedPart(operation);
  const why = state === "completed" ? undefined : (message ?? part?.message);
  return [
    `${stateWords[state]}${took && (state === "completed" ? ` in ${took}` : ` after ${took}`)}`,
    ...(errors > 0 ? [counted(errors, "error")] : []),
    ...(warnings > 0 ? [counted(warnings, "warning")] : []),
    ...(part ? [`at ${titleOf(part)}`] : []),
  ]
    .join(", ")
    .concat(why === undefined ? "" : `: ${why}`);
}

/** How long it took; what took no time to speak of says nothing. */
function tookWords({ state, startedAt, finishedAt }: Operation): string {
  if (startedAt === undefined || finishedAt === undefined || state === "skipped") return "";
  const seconds = Math.round((finishedAt - startedAt) / 1000);
  return seconds > 0 ? formatDuration(seconds) : "";
}
