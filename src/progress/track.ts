import { aggregate } from "./aggregate.ts";
import { derive, type Memory, type Tracked, trackedChildren } from "./derive.ts";
import { expect } from "./expect.ts";
import type { Expected } from "./history.ts";
import { isTerminal, type Observation, type Operation, type ScopeGrowth, stateOf } from "./operation.ts";
import { advance, allOf, almost, count, fraction, type Progress, type Sample } from "./progress.ts";
import { isVolume } from "./steps.ts";
import { timesOf, within } from "./times.ts";

/**
 * Folds what is seen now into what was known: level-triggered, any number of times, in any process.
 *
 * Holds the laws: the share never falls, 100 % only for what ended well, parents are made of their children, one
 * terminal state for ever.
 */
export function track(prev: Tracked | undefined, seen: Observation, nowMs: number): Tracked {
  return derive(fold(prev, seen, nowMs), nowMs);
}

function fold(prev: Tracked | undefined, seen: Observation, nowMs: number): Tracked {
  const old = prev && isSame(prev.operation, seen) ? prev : undefined;
  const now = Number.isFinite(nowMs) ? nowMs : (old?.operation.progress?.movedAt ?? 0);
  const parts = trackChildren(old, seen, now);
  const rule = seen.rule ?? old?.operation.rule ?? (parts.length > 0 ? "mean" : undefined);
  const state = settle(old?.operation, seen, parts);
  const children = isTerminal(state)
    ? parts.map((part) => closed(part, state, seen.finishedAt ?? now))
    : parts;
  const measured =
    children.length > 0 && rule
      ? parentNumbers(old?.operation, aggregate(rule, children.map(operationOf), state), now)
      : withTail(
          leafNumbers(old?.operation, seen.progress, state, now),
          old?.memory.expected ?? expect(seen.history),
        );
  const { total, estimated } = measured.progress ?? {};
  const firstTotal = old?.memory.firstTotal ?? (estimated ? undefined : total);
  const share = shown(old?.operation, state, measured.share);
  const grew = growth(old, measured, share, now);
  const times = timesOf(old?.operation, seen, state, children.map(operationOf), now);
  const operation: Operation = {
    ...words(old, seen, state),
    ...times,
    state,
    ...(measured.progress && { progress: measured.progress }),
    ...(share !== undefined && { fraction: share }),
    ...(grew && { scopeGrew: grew }),
    ...(children.length > 0 && rule && { rule }),
    children: children.map((child) => within(child.operation, times)),
  };
  const memory = { ...remember(old?.memory, seen, now), children: children.map((child) => child.memory) };
  return {
    operation: { ...operation, ...waiting(seen, operation) },
    memory: {
      ...memory,
      ...(firstTotal !== undefined && { firstTotal }),
      ...(measured.share !== undefined && { share: measured.share }),
    },
  };
}

function remember(old: Memory | undefined, seen: Observation, nowMs: number): Omit<Memory, "children"> {
  const expected = old?.expected ?? expect(seen.history);
  return {
    seenAt: Math.min(old?.seenAt ?? nowMs, nowMs),
    ...(old?.run && { run: old.run }),
    ...(old?.isActive && { isActive: true }),
    ...(old?.activeSince !== undefined && { activeSince: old.activeSince }),
    ...(expected && { expected }),
    // Signals are a level too: what is no longer said is no longer so.
    ...(seen.signals && { signals: seen.signals }),
  };
}

/** An object that was deleted and made again under the same name is another operation. */
function isSame(operation: Operation, seen: Observation): boolean {
  const [a, b] = [operation.ref.uid, seen.ref.uid];
  return operation.id === seen.id && (a === undefined || b === undefined || a === b);
}

function operationOf(tracked: Tracked): Operation {
  return tracked.operation;
}

function trackChildren(old: Tracked | undefined, seen: Observation, nowMs: number): readonly Tracked[] {
  const before = new Map<string, Tracked>();
  old?.operation.children.forEach((operation, i) => {
    const memory = old.memory.children[i] ?? { children: [] };
    before.set(operation.id, { operation, memory });
  });
  if (seen.children === undefined) return [...before.values()];
  const latest = new Map(seen.children.map((child) => [child.id, child]));
  return [...latest.values()].map((child) => fold(before.get(child.id), child, nowMs));
}

function settle(
  old: Operation | undefined,
  seen: Observation,
  children: readonly Tracked[],
): Operation["state"] {
  if (old && isTerminal(old.state)) return old.state;
  if (seen.state) return seen.state;
  return children.length > 0 ? stateOf(children.map(operationOf)) : (old?.state ?? "pending");
}

/** Nothing goes on in what has ended: parts whose last word never came end with the whole. */
function closed(part: Tracked, whole: Operation["state"], atMs: number): Tracked {
  const { operation, memory } = part;
  if (isTerminal(operation.state)) return part;
  const state = endOf(operation.state, whole);
  const children = trackedChildren(part).map((child) => closed(child, state, atMs));
  const {
    waitingFor: _wait,
    eta: _eta,
    stall: _stall,
    message,
    progress: _,
    fraction: share,
    ...rest
  } = operation;
  const last = closedNumbers(operation, children.map(operationOf), state, whole);
  return {
    operation: {
      ...rest,
      state,
      // A step said what it was at; a volume may have said why it does not come.
      ...(message !== undefined && isVolume(operation) && { message }),
      ...(last && { progress: last }),
      ...(state === "completed" ? { fraction: 1 } : share !== undefined && { fraction: share }),
      finishedAt: Math.max(operation.startedAt ?? atMs, atMs),
      children: children.map(operationOf),
    },
    memory: { ...memory, children: children.map((child) => child.memory) },
  };
}

/** What never began was skipped, unless the whole ended well; what was at work ended as the whole did. */
function endOf(part: Operation["state"], whole: Operation["state"]): Operation["state"] {
  if (whole === "completed") return "completed";
  if (part === "pending") return "skipped";
  return whole === "partially-failed" ? "completed" : whole;
}

/** A whole that completed has all of each part; of one that ended otherwise nobody knows how far a part came. */
function closedNumbers(
  { progress, rule }: Operation,
  children: readonly Operation[],
  state: Operation["state"],
  whole: Operation["state"],
): Progress | undefined {
  if (rule && children.length > 0)
    return { ...aggregate(rule, children, state).progress, movedAt: progress?.movedAt ?? 0 };
  if (!progress || state !== "completed") return progress;
  const { estimated: _, ...measured } = progress;
  const all = allOf(progress);
  if (whole === "completed") return { ...measured, done: all, total: all };
  return progress.done === all && !progress.estimated ? progress : undefined;
}

interface Measured {
  readonly progress?: Progress;
  /** What the numbers alone give. */
  readonly share?: number;
}

function leafNumbers(
  old: Operation | undefined,
  sample: Sample | undefined,
  state: Operation["state"],
  nowMs: number,
): Measured {
  // After the end the numbers stand, whatever a late reporter says.
  const wasOver = old !== undefined && isTerminal(old.state);
  const newest = wasOver ? undefined : (sample ?? old?.progress);
  let progress = newest ? advance(old?.progress, newest, nowMs) : old?.progress;
  if (progress && state === "completed" && !wasOver) {
    // The last sample is often older than the end; what ended well has done all of it. Movers round on their way: a total
    // that is said with the end is the exact one.
    const { estimated: _, ...measured } = progress;
    const all = exactTotal(sample) ?? allOf(progress);
    progress = { ...measured, done: all, total: all };
  }
  const share = progress && fraction(progress);
  return { ...(progress && { progress }), ...(share !== undefined && { share }) };
}

function exactTotal(sample: Sample | undefined): number | undefined {
  const total = count(sample?.total);
  return total !== undefined && sample?.done === total ? total : undefined;
}

/** Where earlier runs had a tail, all units done is not all the work: the share leaves room for it. */
function withTail(measured: Measured, expected: Expected | undefined): Measured {
  if (measured.share === undefined || !expected) return measured;
  return { ...measured, share: measured.share * (1 - Math.min(1, expected.tailMs / expected.ms)) };
}

function parentNumbers(
  old: Operation | undefined,
  whole: ReturnType<typeof aggregate>,
  nowMs: number,
): Measured {
  const before = old?.progress?.unit === whole.progress.unit ? old.progress : undefined;
  const isOver = old !== undefined && isTerminal(old.state);
  const hasGrown = whole.progress.done > (before?.done ?? 0) || (whole.fraction ?? 0) > (old?.fraction ?? 0);
  const moved = before === undefined || (!isOver && hasGrown);
  const movedAt = moved ? nowMs : Math.min(before.movedAt, nowMs);
  return {
    progress: { ...whole.progress, movedAt },
    ...(whole.fraction !== undefined && { share: whole.fraction }),
  };
}

/** The share that is shown: held when the numbers fall, short of the whole until the work has ended well. */
function shown(
  old: Operation | undefined,
  state: Operation["state"],
  share: number | undefined,
): number | undefined {
  if (old && isTerminal(old.state)) return old.fraction;
  if (state === "completed") return 1;
  if (share === undefined) return old?.fraction;
  return Math.max(old?.fraction ?? 0, Math.min(share, almost));
}

function growth(
  old: Tracked | undefined,
  now: Measured,
  share: number | undefined,
  nowMs: number,
): ScopeGrowth | undefined {
  const before = old?.operation;
  if (before && isTerminal(before.state)) return before.scopeGrew;
  const [from, to] = [old?.memory.firstTotal, now.progress?.total];
  const was = before?.progress;
  // What was a guess has not grown when it turns out to be more.
  const hasGrown = to !== undefined && was?.total !== undefined && !was.estimated && to > was.total;
  const held = share !== undefined && Math.min(now.share ?? 0, almost) < share && share < 1;
  if (!hasGrown && !before?.scopeGrew && !held) return undefined;
  return {
    at: hasGrown || !before?.scopeGrew ? nowMs : before.scopeGrew.at,
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    held,
  };
}

type Words = "id" | "ref" | "kind" | "title" | "message" | "warnings" | "errors" | "weight";

function words(
  tracked: Tracked | undefined,
  seen: Observation,
  state: Operation["state"],
): Pick<Operation, Words> {
  const old = tracked?.operation;
  // What it was at when last heard of is no reason for its end.
  const ends = isTerminal(state) && old !== undefined && !isTerminal(old.state);
  const message = seen.message ?? (ends ? undefined : old?.message);
  // What earlier runs taught stays, also in a process that has not read it; without them the weight follows what is known.
  const isTaught = tracked?.memory.expected !== undefined;
  const weight = isTaught ? (old?.weight ?? seen.weight) : (seen.weight ?? old?.weight);
  return {
    id: seen.id,
    ref: seen.ref,
    kind: seen.kind,
    title: seen.title,
    ...(message !== undefined && { message }),
    warnings: seen.warnings ?? old?.warnings ?? 0,
    errors: seen.errors ?? old?.errors ?? 0,
    ...(weight !== undefined && { weight }),
  };
}

/** A parent whose running children all wait does nothing but wait itself. */
function waiting(seen: Observation, operation: Operation): Pick<Operation, "waitingFor"> {
  if (isTerminal(operation.state)) return {};
  if (seen.waitingFor) return { waitingFor: seen.waitingFor };
  const running = operation.children.filter((child) => child.state === "running");
  const waitingFor = running.every((child) => child.waitingFor) ? running[0]?.waitingFor : undefined;
  return waitingFor ? { waitingFor } : {};
}
