import type { Tracked } from "./derive.ts";
import type { History, PastRun } from "./history.ts";
import { isAll, type Mark, type Run } from "./run.ts";

const maxPairs = 48;
/** What a process moved goes more evenly. */
const maxCarriedPairs = 32;
const maxRuns = 8;

/** What is known of this kind of work once this operation is over; only what ended well teaches anything. */
export function learn(history: History | undefined, tracked: Tracked): History | undefined {
  const { run } = tracked.memory;
  return tracked.operation.state === "completed" && run ? learnRun(history, run) : history;
}

/** Adds a run that ended well to what is known of its kind. */
export function learnRun(history: History | undefined, run: Run): History {
  const growth = run.firstTotal ? Math.min(100, run.done / run.firstTotal) : 1;
  const past: PastRun = {
    ms: Math.round(run.ms),
    unit: run.unit,
    units: run.done,
    ...(growth > 1.001 && { growth: Number(growth.toPrecision(4)) }),
    curve: curveOf(run, maxPairs),
    ...(run.carried && {
      carried: {
        bytes: run.carried.done,
        curve: curveOf({ ...run.carried, ms: run.ms, unit: "bytes" }, maxCarriedPairs),
      },
    }),
  };
  return { version: 2, runs: [...(history?.runs ?? []).slice(1 - maxRuns), past] };
}

/** The way of the run, from nothing to all; the end itself is no movement of the work. */
function curveOf(
  { marks, ms, done, unit, tailFrom }: Pick<Run, "marks" | "ms" | "done" | "unit" | "tailFrom">,
  most: number,
): readonly number[] {
  const thousandths = (value: number, whole: number) =>
    whole > 0 ? Math.min(1000, Math.max(0, Math.round((1000 * value) / whole))) : 0;
  const every = Math.max(1, Math.ceil(marks.length / most));
  const kept = marks.filter((_, i) => i % every === 0 || i === marks.length - 1);
  const way: Mark[] = kept.map(([at, units]) => [
    at,
    isAll({ unit, done: units, total: done }) ? done : units,
  ]);
  if (tailFrom !== undefined && tailFrom < ms) way.push([tailFrom, done]);
  const pairs = way.toSorted((a, b) => a[0] - b[0] || a[1] - b[1]);
  return [[0, 0] as const, ...pairs, [ms, done] as const].flatMap(([at, units]) => [
    thousandths(at, ms),
    thousandths(units, done),
  ]);
}
