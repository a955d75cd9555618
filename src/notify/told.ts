import { isTerminal, type Operation, stalledPart } from "../progress/index.ts";
import type { EventWord } from "./config.ts";

/** What one receiver knows of one operation. It is all that is remembered: what is due follows from it and from what is. */
export interface Told {
  readonly started?: boolean;
  /** Epoch ms since when it stood still, when that was told; absent when it moves. */
  readonly stalled?: number;
  readonly late?: boolean;
  readonly ended?: boolean;
  /** Epoch ms after which it is late. */
  readonly dueBy?: number;
  /** The message that is edited. */
  readonly message?: { readonly channel: string; readonly ts: string };
  /** What was shown last, and when (epoch ms). */
  readonly shown?: string;
  readonly shownAt?: number;
}

/** An event that is due, and what the receiver knows afterwards. */
export interface Step {
  readonly event: EventWord;
  readonly told: Told;
}

/** What tells whether somebody should have heard of it already. */
export interface Sight {
  /** Epoch ms of the object's creation in this cluster. */
  readonly createdAt: number | undefined;
  /** What began and ended before this moment is old. */
  readonly sinceMs: number;
}

/** An object that is made so long after its run has ended was brought here from a store. */
const importedMs = 3_000;
/** An estimate is taken at its word after so long a run, and with so much patience. */
const settledMs = 30_000;
const patience = 1.25;
const leastPatienceMs = 60_000;

/** What a receiver is taken to know of an operation that is seen for the first time: everything that is old. */
export function firstSight(operation: Operation, { createdAt, sinceMs }: Sight): Told {
  const since = Math.floor(sinceMs / 1000) * 1000; // stored times have whole seconds
  const { state, startedAt, finishedAt } = operation;
  if (isTerminal(state)) {
    const end = finishedAt ?? createdAt ?? 0;
    const imported =
      createdAt !== undefined && finishedAt !== undefined && createdAt - finishedAt > importedMs;
    return imported || end < since ? { started: true, ended: true } : {};
  }
  return state === "running" && (startedAt ?? 0) < since ? { started: true } : {};
}

/** The event that is due first, if any. A stall that came and went while nobody could be told is no news. */
export function nextStep(told: Told, operation: Operation, nowMs: number): Step | undefined {
  const { state } = operation;
  if (told.ended) return undefined;
  const begun = state === "running" || (isTerminal(state) && operation.startedAt !== undefined);
  if (!told.started && begun) return { event: "started", told: { ...told, started: true } };
  if (isTerminal(state)) return { event: endWord(state), told: { ...told, ended: true } };
  const since = stalledPart(operation)?.stall?.since;
  if (since !== undefined && told.stalled === undefined)
    return { event: "stalled", told: { ...told, stalled: since } };
  if (since === undefined && told.stalled !== undefined) {
    const { stalled: _over, ...rest } = told;
    return { event: "resumed", told: rest };
  }
  if (!told.late && told.dueBy !== undefined && nowMs > told.dueBy)
    return { event: "late", told: { ...told, late: true } };
  return undefined;
}

/** The moment after which it is late: what the first settled estimate gave at most, and a quarter more. */
export function dueBy(told: Told, { state, startedAt, eta }: Operation, nowMs: number): Pick<Told, "dueBy"> {
  if (told.dueBy !== undefined || state !== "running" || startedAt === undefined) return {};
  if (!eta || "unknown" in eta || nowMs - startedAt < settledMs) return {};
  const wholeMs = nowMs - startedAt + eta.high * 1000;
  return { dueBy: Math.round(startedAt + Math.max(patience * wholeMs, wholeMs + leastPatienceMs)) };
}

function endWord(state: Operation["state"]): EventWord {
  if (state === "canceled") return "canceled";
  return state === "completed" || state === "skipped" ? "completed" : "failed";
}
