import { formatGoDuration, formatTime, removeCondition, setMigCondition } from "../../api/index.ts";
import { lineOf, wordsOf } from "../../kinds/index.ts";
import { isBlocked, type Wanted } from "./conditions.ts";
import type { Flags, PhaseName } from "./itinerary.ts";
import type { Outcome } from "./run.ts";
import {
  advanceRun,
  failRun,
  isOver,
  type RunStatus,
  reportRun,
  settle,
  warnRun,
  whereIs,
} from "./run-state.ts";

/** Conditions that are marks of a run, with what is the same in all of them. */
const marks: Readonly<Record<string, Omit<Wanted, "message" | "type">>> = {
  StagePodsCreated: { status: "True", category: "Advisory", durable: true },
  Canceling: { status: "True", category: "Advisory", reason: "Cancel", durable: true },
  Canceled: { status: "True", category: "Advisory", reason: "Cancel", durable: true },
};

/** What a look at a phase makes of a run's status; `flagsOf` reads what decides about the next phases. */
export function applyOutcome(
  status: RunStatus,
  outcome: Outcome,
  flagsOf: (status: RunStatus) => Flags,
  nowMs: number,
): RunStatus {
  let next = outcome.report ? reportRun(status, outcome.report, nowMs) : status;
  if (outcome.do === "fail") return failRun(next, outcome.errors, nowMs);
  for (const [type, message] of Object.entries(outcome.marks ?? {}))
    next = marked(next, type, message, nowMs);
  if (outcome.do === "wait") {
    const [first] = outcome.report.details;
    return withProgress(next, outcome.progress ?? (first && wordsOf(first, nowMs)));
  }
  for (const warning of outcome.warnings ?? []) next = warnRun(next, warning, nowMs);
  if (outcome.unhealthy) next = { ...next, namespaces: outcome.unhealthy };
  return advanceRun(next, flagsOf(next), nowMs, outcome.to);
}

/** The status with its conditions in order. */
export function settled(status: RunStatus, blockers: readonly Wanted[], nowMs: number): RunStatus {
  const isReady = !isBlocked(blockers) && !isOver(status);
  const ready: readonly Wanted[] = isReady
    ? [{ type: "Ready", status: "True", category: "Required", message: "The migration is ready." }]
    : [];
  return { ...status, conditions: settle(status, [...blockers, ...ready], nowMs) };
}

/** How long each phase usually takes at most; longer is worth a word. Backups and restores are judged by movement. */
const usualMs: Readonly<Partial<Record<PhaseName, number>>> = {
  EnsureCloudSecretPropagated: 3 * 60_000,
  StagePodsCreated: 3 * 60_000,
  EnsureQuiesced: 5 * 60_000,
  EnsureStageBackupReplicated: 3 * 60_000,
  EnsureInitialBackupReplicated: 3 * 60_000,
  EnsureStageRestore: 3 * 60_000,
  EnsureStagePodsTerminated: 3 * 60_000,
  EnsureMigratedDeleted: 5 * 60_000,
  Verification: 10 * 60_000,
  Prepare: 3 * 60_000,
};
const quietMs = 10 * 60_000;

/** A warning about a wait that takes unusually long, with what is waited for. */
export function slowness(status: RunStatus, nowMs: number): readonly Wanted[] {
  const where = whereIs(status);
  if (!where?.phase || isOver(status)) return [];
  const running = status.conditions?.find(({ type }) => type === "Running");
  const step = status.pipeline?.find(({ name }) => name === status.step);
  const entered = Date.parse(running?.lastTransitionTime ?? "");
  const limit = usualMs[where.phase];
  const from = limit === undefined ? Math.max(entered, Date.parse(step?.lastProgressAt ?? "") || 0) : entered;
  const forMs = nowMs - from;
  if (Number.isNaN(forMs) || forMs < (limit ?? quietMs)) return [];
  const minutes = formatGoDuration(Math.floor(forMs / 60_000) * 60_000);
  const first = step?.details?.find(({ phase }) => phase === where.phase);
  const what = (first && lineOf(first, nowMs)) ?? running?.progress ?? step?.message ?? "";
  const words = limit === undefined ? "nothing has changed" : "has been waiting";
  const message = `${where.phase}: ${words} for ${minutes}: ${what}`;
  return [{ type: "TakesLong", status: "True", category: "Warn", reason: where.phase, message }];
}

function marked(status: RunStatus, type: string, message: string | undefined, nowMs: number): RunStatus {
  const same = marks[type] ?? { status: "True", category: "Advisory", durable: true };
  const conditions =
    message === undefined
      ? removeCondition(status.conditions, type)
      : setMigCondition(status.conditions, { ...same, type, message }, formatTime(nowMs));
  return { ...status, conditions };
}

/** The short line of the Running condition; it is no part of what moves the condition's time. */
function withProgress(status: RunStatus, progress: string | undefined): RunStatus {
  const reason = status.phase || "Created";
  const conditions = (status.conditions ?? []).map((condition) => {
    if (condition.type !== "Running" || condition.reason !== reason) return condition;
    const { progress: _, ...rest } = condition;
    return progress === undefined ? rest : { ...rest, progress };
  });
  return { ...status, conditions };
}

/** The patch that makes the stored status this one. */
export function statusPatch(before: RunStatus, status: RunStatus): { readonly status: object } {
  const gone = Object.keys(before).filter((key) => !(key in status));
  return { status: { ...status, ...Object.fromEntries(gone.map((key) => [key, null])) } };
}
