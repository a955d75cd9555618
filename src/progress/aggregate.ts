import type { Operation, Rule, State } from "./operation.ts";
import { isTerminal } from "./operation.ts";
import { fraction, type Sample, type Unit } from "./progress.ts";

/** What a child brings to its parent. */
export type Part = Pick<Operation, "state" | "progress" | "fraction" | "weight">;

/** What children make of their parent. */
export interface Whole {
  readonly progress: Sample;
  readonly fraction?: number;
}

/**
 * The parent's numbers by its rule; a pure function of the children and of how the parent ended, so it holds at every
 * moment.
 */
export function aggregate(rule: Rule, children: readonly Part[], end?: State): Whole {
  const parts = end === "failed" || end === "canceled" ? children.map(neverRan) : children;
  switch (rule) {
    case "mean":
      return weighted(parts.map((part) => ({ part, weight: part.weight === 0 ? 0 : 1 })));
    case "steps":
      return weighted(expected(parts));
    case "sum":
      return summed("bytes", parts, "guess");
    case "items":
      return summed("items", parts.map(asItems), "wait");
  }
}

/** What was skipped because the whole came to a bad end was not done. */
function neverRan(part: Part): Part {
  return part.state === "skipped" ? { ...part, state: "canceled" } : part;
}

/** Steps without a known duration get the average of the known ones; with none known all are equal. */
function expected(parts: readonly Part[]): Weighted[] {
  const known = parts.map((part) => weightOf(part) ?? 0).filter((weight) => weight > 0);
  const average = known.length === 0 ? 1 : known.reduce((a, b) => a + b, 0) / known.length;
  return parts.map((part) => ({ part, weight: weightOf(part) ?? average }));
}

interface Weighted {
  readonly part: Part;
  readonly weight: number;
}

function weightOf(part: Part): number | undefined {
  return part.weight !== undefined && part.weight >= 0 && Number.isFinite(part.weight)
    ? part.weight
    : undefined;
}

function weighted(all: readonly Weighted[]): Whole {
  const counted = all.filter(({ weight }) => weight > 0);
  let weights = 0;
  let done = 0;
  let settledCount = 0;
  for (const { part, weight } of counted) {
    weights += weight;
    done += weight * shareOf(part);
    if (isSettled(part.state)) settledCount += 1;
  }
  const progress = { unit: "steps", done: settledCount, total: counted.length } as const;
  if (counted.length === 0) return { progress };
  // Rounding must not turn "all but a hair" into all.
  const isWhole = settledCount === counted.length;
  return { progress, fraction: isWhole ? 1 : Math.min(done / weights, 1 - Number.EPSILON) };
}

function shareOf(part: Part): number {
  return isSettled(part.state) ? 1 : (part.fraction ?? 0);
}

/** Nothing is left to do. What failed or was canceled is left undone for ever and keeps its share. */
function isSettled(state: State): boolean {
  return state === "completed" || state === "skipped";
}

/** A child that does not count items is one item itself. */
function asItems(part: Part): Part {
  if (part.progress?.unit === "items") return part;
  const done = isSettled(part.state) ? 1 : 0;
  return { ...part, progress: { unit: "items", done, total: 1, movedAt: part.progress?.movedAt ?? 0 } };
}

/**
 * Parts without a total are guessed to be as large as the mean of the others, or the total waits for them. A sum with a guess
 * in it is a guess.
 */
function summed(unit: Unit, parts: readonly Part[], unknown: "guess" | "wait"): Whole {
  let done = 0;
  let total = 0;
  let estimated = false;
  const unmeasured: number[] = [];
  const sizes: number[] = [];
  for (const { state, progress, weight } of parts) {
    if (weight === 0 || (progress !== undefined && progress.unit !== unit)) continue;
    done = add(done, progress?.done ?? 0);
    const whole = progress === undefined ? (isTerminal(state) ? 0 : undefined) : wholeOf(state, progress);
    if (whole === undefined) unmeasured.push(progress?.done ?? 0);
    else {
      total = add(total, whole);
      if (whole > 0) sizes.push(whole);
      if (progress?.estimated && !isTerminal(state)) estimated = true;
    }
  }
  const isKnown = unmeasured.length === 0 || (unknown === "guess" && sizes.length > 0);
  const mean = sizes.reduce((sum, size) => sum + size / sizes.length, 0);
  for (const least of unmeasured) total = add(total, Math.max(least, Math.round(mean)));
  const isGuess = isKnown && (estimated || unmeasured.length > 0);
  const progress = { unit, done, ...(isKnown && { total }), ...(isGuess && { estimated: true as const }) };
  const share = fraction(progress);
  return { progress, ...(share !== undefined && { fraction: share }) };
}

/** All that a child will ever count: what is skipped shrinks to what was done, what ended uncounted is what it did. */
function wholeOf(state: State, progress: Sample): number | undefined {
  if (isSettled(state)) return progress.done;
  const total = isTerminal(state) && progress.estimated ? undefined : progress.total;
  return total ?? (isTerminal(state) ? progress.done : undefined);
}

/** Sums stay exact integers: past 2^53 they stand still instead of rounding. */
function add(a: number, b: number): number {
  return Math.min(a + b, Number.MAX_SAFE_INTEGER);
}
