import { constants } from "./estimate-constants.ts";
import type { Unit } from "./progress.ts";
import { quantile } from "./run.ts";

/** What is kept of one run that ended well. */
export interface PastRun {
  /** Milliseconds of work from the start to the end, the tail included. */
  readonly ms: number;
  readonly unit: Unit;
  readonly units: number;
  /** The last total over the first one; absent where it stayed. */
  readonly growth?: number;
  /** Pairs in thousandths: the share of `ms` that had passed, and the share of `units` that was done by then. */
  readonly curve: readonly number[];
  /** What the worker's process moved, and its way, where that was seen. */
  readonly carried?: { readonly bytes: number; readonly curve: readonly number[] };
}

/** What earlier runs of the same thing teach; the caller stores it by a key of its own. At most 16 kB as JSON. */
export interface History {
  readonly version: 2;
  /** Newest last, at most eight. */
  readonly runs: readonly PastRun[];
}

/** How far down or up a miss goes in four of five cases, as a share of what `scaleOf` gives. */
export interface Spread {
  readonly low: number;
  readonly high: number;
}

/** What the runs of a history make of the next one. */
export interface Expected {
  /** How long it should take, and how long of that all units are done already. */
  readonly ms: number;
  readonly tailMs: number;
  readonly unit: Unit;
  readonly units: number;
  readonly growth: number;
  /** The time goes with the size to this power. */
  readonly power: number;
  readonly runs: readonly PastRun[];
  /** How much each rule counts, and between what the misses lay, by stretch of the run. */
  readonly weights: Readonly<Record<string, readonly number[]>>;
  readonly spreads: readonly Spread[];
}

/** Runs that can be learned from. */
export function usable(history: History | undefined): readonly PastRun[] {
  return history?.runs.filter((run) => run.units > 0 && run.ms > 0 && run.curve.length >= 4) ?? [];
}

/** The middle of what the earlier runs took; undefined when there is nothing to learn from. */
export function usualMs(runs: readonly PastRun[]): number {
  return quantile(
    runs.map(({ ms }) => ms),
    0.5,
  );
}

/** How long the next run should take, the tail included: the weight of a step. */
export function expectedSeconds(history: History | undefined): number | undefined {
  const runs = usable(history);
  return runs.length > 0 ? usualMs(runs) / 1000 : undefined;
}

/** The part of a run's time, 0..1, after which all units were done. */
export function workShare({ curve }: PastRun): number {
  for (let i = 0; i < curve.length; i += 2) if ((curve[i + 1] ?? 0) >= 1000) return (curve[i] ?? 1000) / 1000;
  return 1;
}

/** When a run had done this share: the first moment, and the one at which it went on from there; shares of its time. */
export function placeOf(
  { curve }: Pick<PastRun, "curve">,
  share: number,
): readonly [from: number, to: number] {
  const level = 1000 * Math.min(1, Math.max(0, share));
  let from: number | undefined;
  for (let i = 0; i < curve.length; i += 2) {
    const [time, units] = [curve[i] ?? 0, curve[i + 1] ?? 0];
    if (from === undefined && units >= level) from = crossing(curve, i, level);
    if (units > level + 0.5)
      return [(from ?? 0) / 1000, Math.max(from ?? 0, crossing(curve, i, level)) / 1000];
    if (from !== undefined && time >= 1000) break;
  }
  return [(from ?? 1000) / 1000, 1];
}

/** The share that a run had done after this share of its time. */
export function doneAt({ curve }: Pick<PastRun, "curve">, time: number): number {
  const at = 1000 * time;
  for (let i = 2; i < curve.length; i += 2) {
    const [t1, u1, t2, u2] = [curve[i - 2] ?? 0, curve[i - 1] ?? 0, curve[i] ?? 0, curve[i + 1] ?? 0];
    if (t2 < at) continue;
    return (t2 > t1 ? u1 + ((u2 - u1) * Math.max(0, at - t1)) / (t2 - t1) : u2) / 1000;
  }
  return 1;
}

/** To which power the time goes with the size: the one that makes earlier runs most alike, held near the usual one. */
export function sizePower(runs: readonly PastRun[]): number {
  const mean = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / values.length;
  const sizes = runs.map(({ units }) => Math.log(units));
  const times = runs.map(({ ms }) => Math.log(ms));
  const [size, time] = [mean(sizes), mean(times)];
  const { power, powerTrust } = constants.size;
  let [xy, xx] = [power * powerTrust, powerTrust];
  sizes.forEach((x, i) => {
    xy += (x - size) * ((times[i] ?? time) - time);
    xx += (x - size) ** 2;
  });
  return Math.min(1.2, Math.max(0, xy / xx));
}

function crossing(curve: readonly number[], i: number, level: number): number {
  if (i < 2) return curve[i] ?? 0;
  const [t1, u1, t2, u2] = [curve[i - 2] ?? 0, curve[i - 1] ?? 0, curve[i] ?? 0, curve[i + 1] ?? 0];
  return u2 > u1 ? t1 + (t2 - t1) * Math.min(1, Math.max(0, level - u1) / (u2 - u1)) : t1;
}
