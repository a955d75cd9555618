// Fits the measured tables of the estimate (losses, spreads) to a folder of traces, prints them as they stand in
// src/progress/estimate-constants.ts, and scores each family with tables that were fitted without it.
// usage: node bench/corpus/fit.ts DIR
import { estimate } from "../../src/progress/estimate.ts";
import { constants } from "../../src/progress/estimate-constants.ts";
import { ownMs } from "../../src/progress/estimators/own.ts";
import { pastRules } from "../../src/progress/estimators/past.ts";
import { blend, expect, scaleOf, stretchOf } from "../../src/progress/expect.ts";
import type { PastRun } from "../../src/progress/history.ts";
import type { Run } from "../../src/progress/run.ts";
import { standingOf } from "../../src/progress/standing.ts";
import { readTraces, type Scored, scoreAll } from "../../src/trace/index.ts";

type Writable<T> = { -readonly [K in keyof T]: T[K] extends number ? number : Writable<T[K]> };
const table = constants as unknown as Writable<typeof constants>; // the one place that may write them

/** One moment of one run: what was known, and what came true. */
interface Moment {
  readonly run: Run;
  readonly t: number;
  readonly leftMs: number;
}

interface Case {
  readonly family: string;
  readonly op: string;
  readonly sends: boolean;
  readonly wholeMs: number;
  readonly history: readonly PastRun[];
  readonly moments: readonly Moment[];
}

const scored = scoreAll(await readTraces(process.argv[2] ?? "bench/corpus/traces"));
const cases = scored.filter(({ from, history }) => history === 0 || from === "others").map(caseOf);
const families = [...new Set(cases.map(({ family }) => family))].toSorted();

if (process.argv[3] !== "keep") fit(cases);
console.log(
  JSON.stringify({
    losses: table.losses,
    usualMiss: table.usualMiss,
    spreads: table.spreads,
    first: table.first.spreads,
    unseen: table.first.unseen,
    blind: table.first.blind,
  }),
);
report("with all families", cases);
const held: Result[] = [];
for (const family of families) {
  fit(cases.filter((each) => each.family !== family));
  held.push(...cases.filter((each) => each.family === family).map(resultOf));
}
tell("each family with tables fitted without it", held);

function caseOf({ trace, told, history, past }: Scored): Case {
  return {
    family: trace.head.family,
    op: trace.head.op,
    sends: trace.head.op === "backup",
    wholeMs: trace.end * 1000,
    history: history === 0 ? [] : past,
    moments: told.flatMap(({ t, run }) => (run ? [{ run, t, leftMs: (trace.end - t) * 1000 }] : [])),
  };
}

/** Sets the tables to what these runs show. */
function fit(from: readonly Case[]): void {
  const known = from.filter(({ history }) => history.length > 0);
  table.losses = lossesOf(known.filter(({ history }) => history.length === 3)) as typeof table.losses;
  table.usualMiss = 1;
  [table.usualMiss] = [usualMissOf(known)];
  table.spreads = [1, 2, 3].map((n) =>
    spreadsOf(known.filter(({ history }) => history.length === n)),
  ) as typeof table.spreads;
  const first = from.filter(({ history }) => history.length === 0);
  table.first.spreads = firstSpreads(first) as typeof table.first.spreads;
  table.first.unseen = firstSpreads(first.map(unseen)) as typeof table.first.unseen;
  table.first.blind = blindSpread(first) as typeof table.first.blind;
}

function lossesOf(from: readonly Case[]): Record<string, number[]> {
  const sums: Record<string, [number, number][]> = {};
  for (const each of from) {
    const expected = expect({ version: 2, runs: each.history });
    if (!expected) continue;
    for (const { run, leftMs } of each.moments) {
      const at = standingOf(run, { growth: expected.growth, sends: each.sends });
      // What goes by units is also measured where bytes of the process are known: elsewhere they are all there is.
      const { carried: _, ...unseen } = at;
      const { place, paced } = pastRules(unseen, expected);
      const rules = { ...pastRules(at, expected), place, paced, own: ownMs(at) };
      for (const [rule, ms] of Object.entries(rules)) {
        const sum = ((sums[rule] ??= [
          [0, 0],
          [0, 0],
          [0, 0],
        ])[stretchOf(at.ms, expected.ms)] ??= [0, 0]);
        if (ms === undefined) continue;
        sum[0] += Math.min(1, Math.abs(ms - leftMs) / each.wholeMs) / each.moments.length;
        sum[1] += 1 / each.moments.length;
      }
    }
  }
  return Object.fromEntries(
    Object.entries(sums).map(([rule, all]) => [rule, all.map(([a, b]) => round(a / b))]),
  );
}

/** The middle of how badly runs of one key foretell each other: `factor` is one there. */
function usualMissOf(from: readonly Case[]): number {
  const three = from.filter(({ history }) => history.length === 3);
  const { spreadTrust } = constants;
  const rms = three.map(({ history }) => {
    const factor = factorOf(history);
    return Math.sqrt(Math.max(0, (factor ** 2 * (3 + spreadTrust) - spreadTrust) / 3));
  });
  return round(
    quantile(
      rms.map((value) => [value, 1]),
      0.5,
    ),
  );
}

/** By how much the range of a key is wider than that of others. */
function factorOf(history: readonly PastRun[]): number {
  const usual = constants.spreads[Math.min(history.length, 3) - 1]?.[0];
  const own = expect({ version: 2, runs: history })?.spreads[0];
  return usual && own ? own.high / usual[1] : 1;
}

function spreadsOf(from: readonly Case[]): (readonly [number, number])[] {
  const misses: (readonly [number, number])[][] = [[], [], []];
  for (const each of from) {
    const expected = expect({ version: 2, runs: each.history });
    if (!expected) continue;
    const factor = factorOf(each.history);
    for (const { run, leftMs } of each.moments) {
      const at = standingOf(run, { growth: expected.growth, sends: each.sends });
      const told = blend(at, expected, expected.weights, expected.ms);
      const miss = (leftMs - told) / scaleOf(told, run.ms) / factor;
      misses[stretchOf(run.ms, expected.ms)]?.push([miss, 1 / each.moments.length]);
    }
  }
  return misses.map(ends);
}

function firstSpreads(from: readonly Case[]): (readonly [number, number])[] {
  const bins: (readonly [number, number])[][] = [[], [], [], [], []];
  for (const { moments, sends } of from) {
    for (const { run, leftMs, t } of moments) {
      const told = ownMs(standingOf(run, { sends }));
      if (told === undefined || t < 10) continue;
      const share = Math.min(1, run.done / (run.total ?? 1));
      bins[Math.round(4 * share)]?.push([(leftMs - told) / scaleOf(told, run.ms), 1 / moments.length]);
    }
  }
  return bins.map(ends);
}

function blindSpread(from: readonly Case[]): readonly [number, number] {
  const misses = from.flatMap(({ moments, sends }) =>
    moments.flatMap(({ run, leftMs, t }): (readonly [number, number])[] => {
      if (t < 10 || ownMs(standingOf(run, { sends })) !== undefined) return [];
      const told = constants.first.again * run.ms;
      return [[(leftMs - told) / scaleOf(told, run.ms), 1 / moments.length]];
    }),
  );
  return ends(misses);
}

/** A run as it is where nobody looks at the mover's process. */
function unseen(each: Case): Case {
  const moments = each.moments.map((moment) => {
    const { carried: _, ...run } = moment.run;
    return { ...moment, run };
  });
  return { ...each, moments };
}

/** Between which four of five lie. */
function ends(values: readonly (readonly [number, number])[]): readonly [number, number] {
  return [Math.min(-0.05, round(quantile(values, 0.1))), Math.max(0.05, round(quantile(values, 0.9)))];
}

function quantile(values: readonly (readonly [value: number, weight: number])[], share: number): number {
  const sorted = values.toSorted((a, b) => a[0] - b[0]);
  const whole = sorted.reduce((sum, [, weight]) => sum + weight, 0);
  let before = 0;
  for (const [value, weight] of sorted) {
    before += weight;
    if (before >= share * whole) return value;
  }
  return 0;
}

interface Result {
  readonly op: string;
  readonly family: string;
  readonly n: number;
  readonly error: number;
  readonly near: number;
  readonly held: number;
}

function resultOf({ history, moments, op, family, sends, wholeMs }: Case): Result {
  const expected = history.length > 0 ? expect({ version: 2, runs: history }) : undefined;
  let [count, error, near, held] = [0, 0, 0, 0];
  for (const { run, leftMs } of moments) {
    const eta = estimate(run, expected, sends);
    if ("unknown" in eta) continue;
    count += 1;
    error += Math.abs(eta.seconds * 1000 - leftMs) / wholeMs;
    if (Math.abs(eta.seconds * 1000 - leftMs) <= 0.25 * leftMs) near += 1;
    if (eta.low * 1000 <= leftMs && leftMs <= eta.high * 1000) held += 1;
  }
  return { op, family, n: history.length, error: error / count, near: near / count, held: held / count };
}

function report(title: string, from: readonly Case[]): void {
  tell(title, from.map(resultOf));
}

function tell(title: string, results: readonly Result[]): void {
  console.log(`\n${title}`);
  for (const op of ["backup", "restore"]) {
    for (const n of [0, 1, 2, 3]) {
      const found = results.filter((each) => each.op === op && each.n === n && Number.isFinite(each.error));
      const mean = (of: (each: Result) => number) =>
        `${((100 * found.reduce((sum, each) => sum + of(each), 0)) / found.length).toFixed(1)} %`;
      console.log(
        `${op}, ${n} earlier: error ${mean((e) => e.error)}, within 25 % ${mean((e) => e.near)}, held ${mean((e) => e.held)}, ${found.length} runs`,
      );
    }
  }
}

function round(value: number): number {
  return Number(value.toPrecision(3));
}
