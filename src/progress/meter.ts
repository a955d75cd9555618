import { moved } from "./moved.ts";
import { isTerminal, type Operation } from "./operation.ts";
import type { Unit } from "./progress.ts";

/** How much an operation had moved at a few moments, to tell its rate. */
export interface Meter {
  readonly unit: Unit;
  readonly marks: readonly (readonly [atMs: number, done: number])[];
}

/** The rate covers this window: upstream's agents report only every ten seconds. */
const windowMs = 30_000;
const maxMarks = 32;
/** Marks that are closer are one: quick reporters must not shorten the window. */
const leastGapMs = 1_000;

/** Adds what an operation has moved by now; undefined when nothing of it can be counted. Bounded by `maxMarks`. */
export function measure(before: Meter | undefined, operation: Operation, nowMs: number): Meter | undefined {
  if (isTerminal(operation.state)) return undefined;
  const { bytes, items } = moved(operation);
  const unit = bytes === undefined ? "items" : "bytes";
  const done = (bytes ?? items)?.done;
  if (done === undefined) return undefined;
  if (before?.unit !== unit) return { unit, marks: [[nowMs, done]] };
  const last = before.marks.at(-1);
  if (last && last[1] === done) return before;
  const kept =
    (before.marks.at(-2)?.[0] ?? 0) > nowMs - leastGapMs ? before.marks.slice(0, -1) : before.marks;
  const recent = kept.filter(([at], i) => at >= nowMs - windowMs || i === kept.length - 1);
  return { unit, marks: [...recent.slice(1 - maxMarks), [nowMs, done]] };
}

/**
 * Units a second; undefined until two moments are known. Silence makes it smaller: nothing is carried on by habit. The time
 * until the next report is due is no silence, so that the rate does not fall and rise with each of them.
 */
export function rateOf(meter: Meter | undefined, nowMs: number): number | undefined {
  const [first, last] = [meter?.marks[0], meter?.marks.at(-1)];
  if (!first || !last || last[0] <= first[0]) return undefined;
  if (nowMs - last[0] > windowMs) return undefined;
  const usualMs = (last[0] - first[0]) / ((meter?.marks.length ?? 2) - 1);
  const silentMs = Math.max(0, nowMs - last[0] - Math.max(2_000, 1.5 * usualMs));
  return Math.max(0, last[1] - first[1]) / ((last[0] + silentMs - first[0]) / 1000);
}
