import type { Sample, Unit } from "./progress.ts";

/** A moment of a run: active milliseconds since its start, and what was done by then. */
export type Mark = readonly [ms: number, done: number];

/** What the rules said at one moment, kept to see later how right they were. */
export interface Checkpoint {
  readonly ms: number;
  readonly done: number;
  /** The pace of each rule, by name; a rule that had nothing to say is absent. */
  readonly paces: Readonly<Record<string, number>>;
  /** The remaining milliseconds that were told. */
  readonly told: number;
}

/** The evidence of one run, from which every estimate is made. Plain JSON; every list in it has a limit. */
export interface Run {
  readonly unit: Unit;
  /** The clock at the last fold. */
  readonly at: number;
  /** Milliseconds of work; waiting does not count. */
  readonly ms: number;
  /** `ms` when `done` last grew, and how often it has grown. */
  readonly movedMs: number;
  readonly moves: number;
  readonly done: number;
  readonly total?: number;
  /** `ms` when all units were done and only the tail was left. */
  readonly tailFrom?: number;
  /** The whole run, thinned out evenly. */
  readonly marks: readonly Mark[];
  /** The last two minutes. */
  readonly recent: readonly Mark[];
  /** The latest silences between movements, in ms. */
  readonly gaps: readonly number[];
  readonly checkpoints: readonly Checkpoint[];
}

/** How far back the window looks. */
const windowMs = 120_000;
const maxMarks = 64;
const maxRecent = 24;
const maxGaps = 24;

/** Starts a run's evidence; work first seen under way counts as begun at `startedAt` with nothing done. */
export function beginRun(sample: Sample, nowMs: number, startedAt: number | undefined): Run {
  const ms = startedAt === undefined ? 0 : Math.max(0, nowMs - startedAt);
  const from: Mark = ms > 0 ? [0, 0] : [0, sample.done];
  const here: Mark = [ms, sample.done];
  const marks = ms > 0 && sample.done > 0 ? [from, here] : [from];
  return {
    unit: sample.unit,
    at: nowMs,
    ms,
    movedMs: sample.done > 0 ? ms : 0,
    moves: sample.done > 0 ? 1 : 0,
    done: sample.done,
    ...(sample.total !== undefined && { total: sample.total }),
    marks,
    recent: [here],
    gaps: [],
    checkpoints: [],
  };
}

/** Folds the newest numbers in. `isActive` tells whether the time since the last fold was spent working. */
export function continueRun(run: Run, sample: Sample, nowMs: number, isActive: boolean): Run {
  // A clock that jumps back costs the time of one sample, never a negative time.
  const ms = run.ms + (isActive ? Math.max(0, nowMs - run.at) : 0);
  const { total: _before, tailFrom: _tail, ...rest } = run;
  const total = sample.total === undefined ? {} : { total: sample.total };
  const isAll = sample.total !== undefined && sample.total > 0 && sample.done >= sample.total;
  const tail = isAll ? { tailFrom: run.tailFrom ?? ms } : {};
  if (sample.done <= run.done) return { ...rest, ...total, ...tail, at: nowMs, ms };
  const mark: Mark = [ms, sample.done];
  return {
    ...rest,
    ...total,
    ...tail,
    at: nowMs,
    ms,
    movedMs: ms,
    moves: run.moves + 1,
    done: sample.done,
    marks: thin(append(run.marks, mark, run.ms / maxMarks), maxMarks),
    recent: window(run.recent, mark),
    gaps: [...run.gaps.slice(1 - maxGaps), ms - run.movedMs],
  };
}

/** What is left of a run that is over: enough to learn from. */
export function closeRun(run: Run): Run {
  return { ...run, recent: [], gaps: [] };
}

/** Adds what the rules say now, when the last such note is old enough. */
export function addCheckpoint(run: Run, checkpoint: Checkpoint, limit: number): Run {
  return { ...run, checkpoints: thin([...run.checkpoints, checkpoint], limit) };
}

/** The work that an evidence holds: first and last mark apart in time and in units. */
export function span(marks: readonly Mark[]): { readonly ms: number; readonly units: number } {
  const [first, last] = [marks[0], marks.at(-1)];
  return first && last ? { ms: last[0] - first[0], units: last[1] - first[1] } : { ms: 0, units: 0 };
}

/** The share-quantile of a list, 0 for an empty one. */
export function quantile(values: readonly number[], share: number): number {
  // A typed array sorts numbers as numbers, and many times faster.
  const sorted = Float64Array.from(values).sort();
  const at = (sorted.length - 1) * share;
  const [low, high] = [sorted[Math.floor(at)] ?? 0, sorted[Math.ceil(at)] ?? 0];
  return low + (high - low) * (at - Math.floor(at));
}

/** The newest mark always stands at the end; the one before it gives way when it is too close to its predecessor. */
function append(marks: readonly Mark[], mark: Mark, spacingMs: number): readonly Mark[] {
  const [before, last] = [marks.at(-2), marks.at(-1)];
  const isCrowded = before && last && last[0] - before[0] < spacingMs;
  return isCrowded ? [...marks.slice(0, -1), mark] : [...marks, mark];
}

/** Drops every second entry but the first and the last when the list is full. */
function thin<T>(list: readonly T[], limit: number): readonly T[] {
  return list.length <= limit ? list : list.filter((_, i) => i % 2 === 0 || i === list.length - 1);
}

function window(recent: readonly Mark[], mark: Mark): readonly Mark[] {
  const added = append(recent, mark, windowMs / maxRecent);
  // The last mark outside the window stays: it is where the window's edge lies.
  let from = 0;
  while (from + 2 < added.length && (added[from + 1]?.[0] ?? 0) <= mark[0] - windowMs) from += 1;
  return added.slice(Math.max(from, added.length - maxRecent - 2));
}
