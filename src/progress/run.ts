import type { Sample, Unit } from "./progress.ts";

/** A moment of a run: active milliseconds since its start, and what was done by then. */
export type Mark = readonly [ms: number, done: number];

/** Bytes that went through a process. */
export interface Carried {
  readonly done: number;
  readonly movedMs: number;
  readonly marks: readonly Mark[];
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
  /** The first total that was told: files may grow while they are read. */
  readonly firstTotal?: number;
  /** `ms` when all units were done and only the tail was left. */
  readonly tailFrom?: number;
  /** The whole run, thinned out evenly; where it stood still, both ends of that. */
  readonly marks: readonly Mark[];
  /** What the worker's process has moved: it goes on where units stand, such as when all is read and not yet sent. */
  readonly carried?: Carried;
  /** The latest silences between movements, in ms. */
  readonly gaps: readonly number[];
  /** What was told to be left in ms, in even steps over the run. */
  readonly told?: readonly Mark[];
}

const maxMarks = 64;
const maxGaps = 24;
const maxTold = 20;
/** Start times are stored as whole seconds: on the mean half a second has passed since. */
const wholeSecondMs = 1_000;

/** Starts a run's evidence; work first seen under way counts as begun at `startedAt` with nothing done. */
export function beginRun(sample: Sample, nowMs: number, startedAt: number | undefined): Run {
  const ms = startedAt === undefined ? 0 : Math.max(0, nowMs - exactStart(startedAt));
  const here: Mark = [ms, sample.done];
  const marks: readonly Mark[] = ms > 0 && sample.done > 0 ? [[0, 0], here] : [[0, ms > 0 ? 0 : sample.done]];
  return {
    unit: sample.unit,
    at: nowMs,
    ms,
    movedMs: sample.done > 0 ? ms : 0,
    moves: sample.done > 0 ? 1 : 0,
    done: sample.done,
    ...totalsOf(undefined, sample),
    ...(isAll(sample) && { tailFrom: ms }),
    marks,
    gaps: [],
  };
}

/** Folds the newest numbers in. `isActive` tells whether the time since the last fold was spent working. */
export function continueRun(run: Run, sample: Sample, nowMs: number, isActive: boolean): Run {
  // A clock that jumps back costs the time of one sample, never a negative time.
  const ms = run.ms + (isActive ? Math.max(0, nowMs - run.at) : 0);
  const { total: _before, tailFrom: _tail, ...rest } = run;
  const tail = isAll(sample) ? { tailFrom: run.tailFrom ?? ms } : {};
  const folded = { ...rest, ...totalsOf(run, sample), ...tail, at: nowMs, ms };
  if (sample.done <= run.done) return folded;
  return {
    ...folded,
    movedMs: ms,
    moves: run.moves + 1,
    done: sample.done,
    marks: marked(run, [ms, sample.done]),
    gaps: [...run.gaps.slice(1 - maxGaps), ms - run.movedMs],
  };
}

/** Folds in what the worker's process has moved by now; a process that began anew is not heard until it is as far. */
export function carry(run: Run, bytes: number | undefined): Run {
  const before = run.carried ?? { done: 0, movedMs: 0, marks: [[0, 0]] };
  if (bytes === undefined || bytes <= before.done) return run;
  const mark: Mark = [run.ms, bytes];
  const marks = thin(append(before.marks, mark, run.ms / maxMarks), maxMarks);
  return { ...run, carried: { done: bytes, movedMs: run.ms, marks } };
}

/** Notes what is told now, when the last such note is old enough. */
export function noteTold(run: Run, leftMs: number): Run {
  const { ms, told = [] } = run;
  const last = told.at(-1);
  if (last && ms - last[0] < Math.max(1000, ms / maxTold)) return run;
  return { ...run, told: thin([...told, [ms, Math.round(leftMs)]], maxTold) };
}

/** What is left of a run that is over: enough to learn from. */
export function closeRun(run: Run): Run {
  return { ...run, gaps: [] };
}

/** The share-quantile of a list, 0 for an empty one. */
export function quantile(values: readonly number[], share: number): number {
  // A typed array sorts numbers as numbers, and many times faster.
  const sorted = Float64Array.from(values).sort();
  const at = (sorted.length - 1) * share;
  const [low, high] = [sorted[Math.floor(at)] ?? 0, sorted[Math.ceil(at)] ?? 0];
  return low + (high - low) * (at - Math.floor(at));
}

/** Work that is read back from where others divide the numbers has one byte held back until its end. */
export function isAll({ unit, done, total }: Sample): boolean {
  if (total === undefined || total <= 0) return false;
  return done >= (unit === "bytes" && total > 1 ? total - 1 : total);
}

function exactStart(startedAt: number): number {
  return startedAt % wholeSecondMs === 0 ? startedAt + wholeSecondMs / 2 : startedAt;
}

function totalsOf(run: Run | undefined, { total }: Sample): Pick<Run, "total" | "firstTotal"> {
  const firstTotal = run?.firstTotal ?? total;
  return {
    ...(total !== undefined && { total }),
    ...(firstTotal !== undefined && { firstTotal }),
  };
}

/** With a mark where a silence ended: a curve drawn straight over it would tell of work that was not done. */
function marked({ marks, ms: agoMs, movedMs, done }: Run, mark: Mark): readonly Mark[] {
  const spacingMs = mark[0] / maxMarks;
  const still: Mark = [agoMs, done];
  const isLong = agoMs - movedMs > Math.max(1_500, 2 * spacingMs);
  const before = isLong ? append(marks, still, 0) : marks;
  return thin(append(before, mark, isLong ? 0 : spacingMs), maxMarks);
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
