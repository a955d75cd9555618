import { estimate } from "./estimate.ts";
import { etaOf } from "./eta-of.ts";
import type { Expected } from "./history.ts";
import { isTerminal, type Operation, type Signals } from "./operation.ts";
import type { Progress, Sample } from "./progress.ts";
import { beginRun, carry, closeRun, continueRun, noteTold, type Run } from "./run.ts";
import { type Stall, stall, stallCauses } from "./stall.ts";

/** An operation with all that must be remembered to continue it; plain JSON, so it survives a restart. */
export interface Tracked {
  readonly operation: Operation;
  readonly memory: Memory;
}

/**
 * What one operation needs from the past. Its size does not grow with time. Nearly all is optional: a memory written by
 * another version is still worth having.
 */
export interface Memory {
  /** Epoch ms at which it was first seen. */
  readonly seenAt?: number;
  /** The first total that was known, to tell a scope that grew. */
  readonly firstTotal?: number;
  /** What the numbers alone give, before the share is held. */
  readonly share?: number;
  readonly run?: Run;
  /** Whether it was at work, and not waiting, when last seen. */
  readonly isActive?: boolean;
  /** Epoch ms at which it last began to work; a silence before it was no silence. */
  readonly activeSince?: number;
  readonly expected?: Expected;
  readonly signals?: Signals;
  /** In the order of `operation.children`. */
  readonly children: readonly Memory[];
}

/** The operation as it looks at a later moment, when nothing new was seen: estimates and stalls depend on the clock. */
export function look(tracked: Tracked, nowMs: number): Operation {
  return derive(tracked, nowMs).operation;
}

/** The children with what is remembered of each, to learn from them or to track them apart. */
export function trackedChildren({ operation, memory }: Tracked): readonly Tracked[] {
  return operation.children.flatMap((child, i) => {
    const own = memory.children[i];
    return own ? [{ operation: child, memory: own }] : [];
  });
}

/** Works out estimate and stall for a tree. `othersMovedAt` tells when work beside it last moved. */
export function derive(tracked: Tracked, nowMs: number, othersMovedAt?: number): Tracked {
  const children = deriveChildren(tracked, nowMs, othersMovedAt);
  const { eta: _eta, stall: _stall, ...rest } = tracked.operation;
  const isOver = isTerminal(rest.state);
  const operation = {
    ...rest,
    ...(rest.progress && !isOver && { progress: notAhead(rest.progress, nowMs) }),
    children: children.map((child) => child.operation),
  };
  const isActive = isAtWork(operation);
  const run = carriedBy(runOf(tracked, nowMs), tracked);
  const { expected } = tracked.memory;
  const isKnown = expected !== undefined;
  const told = run && !isOver ? estimate(run, expected, isSending(operation)) : undefined;
  const activeSince = activeFrom(tracked, nowMs);
  const memory = { ...tracked.memory, ...(activeSince !== undefined && { activeSince }) };
  const still = isOver ? undefined : stallOf({ operation, memory }, run, nowMs, othersMovedAt);
  const eta = operation.state === "running" ? etaOf(operation, told, { still, isKnown }) : undefined;
  return {
    operation: { ...operation, ...(eta && { eta }), ...(still && { stall: still }) },
    memory: {
      ...memory,
      isActive,
      ...(run && { run: eta && !("unknown" in eta) ? noteTold(run, 1000 * eta.seconds) : run }),
      children: children.map((child) => child.memory),
    },
  };
}

/** A clock that ran backwards takes the last movement with it, also where nothing new was seen. */
function notAhead(progress: Progress, nowMs: number): Progress {
  return progress.movedAt <= nowMs ? progress : { ...progress, movedAt: nowMs };
}

/** What a backup reads goes to a store: its mover reads ahead of what it has sent. */
function isSending({ kind }: Operation): boolean {
  return /(?:backup|upload)$/.test(kind);
}

function isAtWork(operation: Operation): boolean {
  return operation.state === "running" && !operation.waitingFor;
}

/** An operation that was first seen while it ran is taken to have worked since its start. */
function activeFrom({ operation, memory }: Tracked, nowMs: number): number | undefined {
  if (!isAtWork(operation) || memory.isActive) return memory.activeSince;
  return memory.run ? nowMs : (operation.startedAt ?? nowMs);
}

function deriveChildren(tracked: Tracked, nowMs: number, outside: number | undefined): readonly Tracked[] {
  const all = trackedChildren(tracked);
  const moved = all.map((child) => child.operation.progress?.movedAt ?? 0);
  const latest = Math.max(...moved);
  const second = Math.max(...moved.toSpliced(moved.indexOf(latest), 1));
  return all.map((child, i) => {
    const beside = moved[i] === latest ? second : latest;
    const others = Math.max(beside, outside ?? 0);
    return derive(child, nowMs, others > 0 ? others : undefined);
  });
}

/** The evidence for the estimate: counted units where there are some, else the share, else "one step, not done". */
function runOf({ operation, memory }: Tracked, nowMs: number): Run | undefined {
  const { state, progress, startedAt } = operation;
  if (state === "pending" && !memory.run) return undefined;
  const sample = sampleOf(operation, memory.share);
  if (isTerminal(state)) {
    return memory.run && closeRun(continueRun(memory.run, sample, nowMs, memory.isActive === true));
  }
  if (!memory.run) return beginRun(sample, nowMs, startedAt);
  // Another unit is another measure.
  if (progress && memory.run.unit !== sample.unit) return beginRun(sample, nowMs, startedAt);
  return continueRun(memory.run, sample, nowMs, memory.isActive === true);
}

/** What a process moved says how far a copy is; a whole has parts with a process each. */
function carriedBy(run: Run | undefined, { operation, memory }: Tracked): Run | undefined {
  const isCopy = operation.children.length === 0 && run?.unit === "bytes";
  return isCopy ? carry(run, memory.signals?.carriedBytes) : run;
}

function sampleOf({ state, progress, rule }: Operation, share: number | undefined): Sample {
  const isDone = state === "completed";
  if (rule === "mean" || rule === "steps")
    return { unit: "steps", done: isDone ? 1 : (share ?? 0), total: 1 };
  return progress ?? { unit: "steps", done: isDone ? 1 : 0, total: 1 };
}

function stallOf(
  { operation, memory }: Tracked,
  run: Run | undefined,
  nowMs: number,
  othersMovedAt: number | undefined,
): Stall | undefined {
  const running = operation.children.filter((child) => child.state === "running");
  if (running.length > 0 && !memory.signals?.causes) return sharedStall(running);
  const { signals = {}, expected } = memory;
  const movedAt = Math.max(operation.progress?.movedAt ?? 0, memory.activeSince ?? memory.seenAt ?? nowMs);
  const isTail = run?.tailFrom !== undefined;
  return stall(
    {
      movedAt: Math.min(movedAt, nowMs),
      // The rhythm of the units says nothing about the tail after them.
      gaps: isTail ? [] : (run?.gaps ?? []),
      ...(isTail && expected && { patienceMs: 2 * expected.tailMs }),
      signals,
      ...(othersMovedAt !== undefined && { othersMovedAt }),
      isWorking: isAtWork(operation) && operation.children.length === 0 && isHeard(operation, signals),
    },
    nowMs,
  );
}

/** Work that has no numbers and no heartbeat is silent by nature, like most hooks. */
function isHeard(operation: Operation, signals: Signals): boolean {
  return operation.progress !== undefined || signals.heartbeatAt !== undefined;
}

/** A parent stands still when all its running children do: since the last of them, for the gravest cause. */
function sharedStall(running: readonly Operation[]): Stall | undefined {
  const stalls = running.flatMap((child) => child.stall ?? []);
  if (stalls.length < running.length) return undefined;
  const cause = stallCauses.find((known) => stalls.some((each) => each.cause === known));
  return cause && { since: Math.max(...stalls.map((each) => each.since)), cause };
}
