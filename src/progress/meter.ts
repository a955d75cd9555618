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
  const recent = before.marks.filter(([at], i) => at >= nowMs - windowMs || i === before.marks.length - 1);
  return { unit, marks: [...recent.slice(1 - maxMarks), [nowMs, done]] };
}

/** Units a second; undefined until two moments are known. Silence makes it smaller: nothing is carried on by habit. */
export function rateOf(meter: Meter | undefined, nowMs: number): number | undefined {
  const [first, last] = [meter?.marks[0], meter?.marks.at(-1)];
  if (!first || !last || last[0] <= first[0]) return undefined;
  if (nowMs - last[0] > windowMs) return undefined;
  return Math.max(0, last[1] - first[1]) / ((Math.max(nowMs - 2_000, last[0]) - first[0]) / 1000);
}
