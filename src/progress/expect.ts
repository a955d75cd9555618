import { constants } from "./estimate-constants.ts";
import { ownMs } from "./estimators/own.ts";
import { type Past, pastRules } from "./estimators/past.ts";
import {
  type Expected,
  type History,
  type PastRun,
  type Spread,
  sizePower,
  usable,
  usualMs,
  workShare,
} from "./history.ts";
import { quantile } from "./run.ts";
import { pastStanding, type Standing } from "./standing.ts";

/** Stretches of a run by the time that has passed of the usual one. */
const stretches = 3;
const moments = 12;

/** The run to expect. Undefined when there is nothing to learn from. */
export function expect(history: History | undefined): Expected | undefined {
  const runs = usable(history);
  const newest = runs.at(-1);
  if (!newest) return undefined;
  const past = { runs, power: sizePower(runs) };
  const weights = weigh(runs);
  return {
    ...past,
    ms: usualMs(runs),
    tailMs: quantile(
      runs.map((run) => run.ms * (1 - workShare(run))),
      0.5,
    ),
    unit: newest.unit,
    units: newest.units,
    growth: quantile(
      runs.map((run) => run.growth ?? 1),
      0.5,
    ),
    weights,
    spreads: spreadsOf(runs, weights),
  };
}

/** What the rules say together, each with the weight it has in this stretch; the mean is taken over logarithms. */
export function blend(at: Standing, past: Past, weights: Expected["weights"], usual: number): number {
  const stretch = stretchOf(at.ms, usual);
  let [sum, logs] = [0, 0];
  for (const [rule, ms] of Object.entries({ ...pastRules(at, past), own: ownMs(at) })) {
    const weight = weights[rule]?.[stretch] ?? 0;
    if (ms === undefined || !(ms > 0) || weight === 0) continue;
    sum += weight;
    logs += weight * ms ** constants.mean;
  }
  return (logs / sum) ** (1 / constants.mean);
}

/** By what a miss is measured: what was told, and a little of the whole. */
export function scaleOf(toldMs: number, passedMs: number): number {
  return toldMs + constants.missFloor * (passedMs + toldMs);
}

/** Which stretch of the run this is. */
export function stretchOf(ms: number, usual: number): number {
  return Math.min(stretches - 1, Math.floor((stretches * ms) / usual));
}

/** How well each rule foretells the earlier runs from each other, held near what it does elsewhere. */
function weigh(runs: readonly PastRun[]): Record<string, readonly number[]> {
  const { losses, lossTrust, sharpness, leastLoss } = constants;
  const sums = new Map(
    Object.keys(losses).map((rule) => [rule, Array.from({ length: stretches }, () => [0, 0])]),
  );
  crossed(runs, ({ at, past, trueMs, wholeMs, usual }) => {
    for (const [rule, ms] of Object.entries({ ...pastRules(at, past), own: ownMs(at) })) {
      const sum = sums.get(rule)?.[stretchOf(at.ms, usual)];
      if (!sum || ms === undefined) continue;
      sum[0] = (sum[0] ?? 0) + Math.min(1, Math.abs(ms - trueMs) / wholeMs);
      sum[1] = (sum[1] ?? 0) + 1;
    }
  });
  const perRun = moments / stretches;
  return Object.fromEntries(
    [...sums].map(([rule, all]) => [
      rule,
      all.map(([loss = 0, count = 0], k) => {
        const held = (loss / perRun + lossTrust * (losses[rule]?.[k] ?? 1)) / (count / perRun + lossTrust);
        return round((held + leastLoss) ** -sharpness);
      }),
    ]),
  );
}

/** The usual range of other workloads, wider or narrower as earlier runs of this one foretell each other. */
function spreadsOf(runs: readonly PastRun[], weights: Expected["weights"]): readonly Spread[] {
  const { usualMiss, spreadTrust, spreads } = constants;
  let [squares, count] = [0, 0];
  crossed(runs, ({ at, past, trueMs, usual }) => {
    const told = blend(at, past, weights, usual);
    squares += Math.min(4, ((trueMs - told) / scaleOf(told, at.ms)) ** 2);
    count += 1;
  });
  const own = count / moments;
  const factor = Math.sqrt((squares / moments / usualMiss ** 2 + spreadTrust) / (own + spreadTrust));
  const usual = spreads[Math.min(runs.length, spreads.length) - 1] ?? [];
  return usual.map(([low, high]) => ({ low: round(low * factor), high: round(high * factor) }));
}

interface Crossed {
  readonly at: Standing;
  readonly past: Past;
  readonly trueMs: number;
  readonly wholeMs: number;
  readonly usual: number;
}

/** Each earlier run at a few moments, with the others as its past. */
function crossed(runs: readonly PastRun[], take: (each: Crossed) => void): void {
  if (runs.length < 2) return;
  runs.forEach((run, i) => {
    const others = runs.toSpliced(i, 1);
    const past = { runs: others, power: sizePower(others) };
    const usual = usualMs(others);
    for (let k = 0; k < moments; k++) {
      const time = (k + 0.5) / moments;
      take({ at: pastStanding(run, time), past, trueMs: (1 - time) * run.ms, wholeMs: run.ms, usual });
    }
  });
}

function round(value: number): number {
  return Number(value.toPrecision(3));
}
