import { quantile } from "./run.ts";

/** What is kept of one run that ended well. */
export interface PastRun {
  /** Milliseconds of work until all units were done, and those of the tail after it. */
  readonly workMs: number;
  readonly tailMs: number;
  readonly units: number;
  /** At k/32 of the units: the share of `workMs` that had passed, in thousandths. */
  readonly curve: readonly number[];
  /** How wrong the estimates told were: hundredths of ln(true / told remaining time), at most twelve. */
  readonly misses: readonly number[];
  /** How wrong each rule was, as a share of the whole time. */
  readonly losses: Readonly<Record<string, number>>;
}

/** What earlier runs of the same thing teach; the caller stores it by a key of its own. At most 16 kB as JSON. */
export interface History {
  readonly version: 1;
  /** Newest last, at most eight. */
  readonly runs: readonly PastRun[];
}

/** What the runs of a history make of the next one. */
export interface Expected {
  readonly workMs: number;
  readonly tailMs: number;
  /** Set where the tail follows the work: its length as a share of it. */
  readonly tailShare?: number;
  readonly units: number;
  readonly curve: readonly number[];
  /** Between which logarithms of true over told remaining time four of five misses lay; absent while there are few. */
  readonly spread?: { readonly low: number; readonly high: number };
  readonly losses: Readonly<Record<string, number>>;
}

/** From how many misses on they speak for themselves. */
const enoughMisses = 6;

/** The run to expect: the middle of what was. Undefined when there is nothing to learn from. */
export function expect(history: History | undefined): Expected | undefined {
  const runs = history?.runs.filter((run) => run.units > 0 && run.workMs > 0) ?? [];
  const newest = runs.at(-1);
  if (!newest) return undefined;
  const misses = runs.flatMap((run) => run.misses);
  const tails = runs.map((run) => run.tailMs);
  const shares = runs.map((run) => run.tailMs / run.workMs);
  return {
    units: newest.units,
    workMs: newest.units * middle(runs.map((run) => run.workMs / run.units)),
    tailMs: middle(tails),
    ...(unevenness(shares) < unevenness(tails) && { tailShare: middle(shares) }),
    curve: newest.curve.map((_, k) => middle(runs.map((run) => run.curve[k] ?? 0))),
    ...(misses.length >= enoughMisses && {
      spread: { low: quantile(misses, 0.1) / 100, high: quantile(misses, 0.9) / 100 },
    }),
    losses: meanLosses(runs),
  };
}

/** How long the next run should take, the tail included: the weight of a step. */
export function expectedSeconds(history: History | undefined): number | undefined {
  const expected = expect(history);
  return expected && (expected.workMs + expected.tailMs) / 1000;
}

/** The share of the time, 0..1, that a curve gives for a share of the units. */
export function timeAt(curve: readonly number[], share: number): number {
  const at = Math.min(1, Math.max(0, share)) * (curve.length - 1);
  const k = Math.floor(at);
  const low = curve[k] ?? 0;
  return (low + ((curve[k + 1] ?? low) - low) * (at - k)) / 1000;
}

/** The mean of the middle values: one odd run of three does not count. */
function middle(values: readonly number[]): number {
  return values.length < 3
    ? values.reduce((a, b) => a + b, 0) / values.length
    : (quantile(values, 0.35) + quantile(values, 0.5) + quantile(values, 0.65)) / 3;
}

/** The spread of values against the largest. */
function unevenness(values: readonly number[]): number {
  const top = Math.max(...values);
  return top > 0 ? (top - Math.min(...values)) / top : 0;
}

function meanLosses(runs: readonly PastRun[]): Record<string, number> {
  const byRule = new Map<string, number[]>();
  for (const run of runs) {
    for (const [rule, loss] of Object.entries(run.losses)) {
      byRule.set(rule, [...(byRule.get(rule) ?? []), loss]);
    }
  }
  return Object.fromEntries(
    [...byRule].map(([rule, losses]) => [rule, losses.reduce((a, b) => a + b, 0) / losses.length]),
  );
}
