import { isTerminal, type Operation } from "./operation.ts";
import type { Unit } from "./progress.ts";

/** How much an operation had moved at a few moments, to tell its rate. */
export interface Meter {
  readonly unit: Unit;
  readonly marks: readonly (readonly [atMs: number, done: number])[];
}

/** A rate is told over so long; upstream agents report every ten seconds. */
const windowMs = 30_000;
const maxMarks = 32;

/** Adds what an operation has moved by now; undefined when nothing of it can be counted. Bounded by `maxMarks`. */
export function measure(before: Meter | undefined, operation: Operation, nowMs: number): Meter | undefined {
  if (isTerminal(operation.state)) return undefined;
  const { bytes, items } = moved(operation);
  const unit = bytes === undefined ? "items" : "bytes";
  const done = bytes ?? items;
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

interface Moved {
  readonly bytes: number | undefined;
  readonly items: number | undefined;
}

function moved(operation: Operation): Moved {
  if (operation.children.length > 0) {
    const parts = operation.children.map(moved);
    return { bytes: sum(parts.map((part) => part.bytes)), items: sum(parts.map((part) => part.items)) };
  }
  const { progress } = operation;
  return {
    bytes: progress?.unit === "bytes" ? progress.done : undefined,
    items: progress?.unit === "items" ? progress.done : undefined,
  };
}

function sum(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? undefined : known.reduce((all, value) => all + value, 0);
}
