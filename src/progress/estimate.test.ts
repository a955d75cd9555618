import fc from "fast-check";
import { expect, test } from "vitest";
import { estimate } from "./estimate.ts";
import type { Eta } from "./eta.ts";
import { expect as expectRun, type History } from "./history.ts";
import { learnRun } from "./learn.ts";
import { beginRun, continueRun, type Run } from "./run.ts";

interface Script {
  readonly total?: number;
  readonly seconds: number;
  /** What is done after so many seconds. */
  readonly done: (second: number) => number;
  readonly history?: History;
}

function play(script: Script): { readonly run: Run; readonly eta: Eta } {
  const expected = expectRun(script.history);
  const total = script.total === undefined ? {} : { total: script.total };
  const at = (s: number) => ({ unit: "bytes" as const, done: script.done(s), ...total });
  let told = estimate(beginRun(at(0), 0, 0), expected);
  for (let s = 1; s <= script.seconds; s++) {
    told = estimate(continueRun(told.run, at(s), s * 1000, true), expected);
  }
  return told;
}

function seconds(eta: Eta): number {
  return "unknown" in eta ? Number.NaN : eta.seconds;
}

const steady = (second: number) => Math.min(1000, second * 10);
/** A first half of the units that takes a tenth of the time. */
const prefix = (second: number) => (second <= 10 ? second * 50 : Math.min(1000, 500 + (second - 10) * 5));
const past = (done: Script["done"], length: number, runs = 3): History => {
  let history: History | undefined;
  for (let i = 0; i < runs; i++) {
    const script = { total: 1000, seconds: length, done, ...(history && { history }) };
    history = learnRun(history, play(script).run);
  }
  return history ?? { version: 1, runs: [] };
};

test.each([
  ["[ET2] without a total it is counting", { seconds: 60, done: steady }, "counting"],
  ["[ET3] five seconds are too early", { total: 1000, seconds: 5, done: steady }, "too-early"],
  [
    "[ET3] one movement is too early",
    { total: 1000, seconds: 60, done: (s: number) => (s < 50 ? 0 : 10) },
    "too-early",
  ],
  ["[ET6] all done and no history is finishing", { total: 1000, seconds: 110, done: steady }, "finishing"],
  [
    "[ET5] a rate that jumps by orders of magnitude is uneven",
    { total: 1e15, seconds: 200, done: (s: number) => Math.floor(10 ** (s / 14)) },
    "uneven",
  ],
] as [string, Script, string][])("%s", (_rule, script, want) => {
  expect(play(script).eta).toEqual({ unknown: want });
});

test("[ET1] a steady flow is foretold within a second", () => {
  const { eta } = play({ total: 1000, seconds: 30, done: steady });
  expect(seconds(eta)).toBeCloseTo(70, 0);
  expect(eta).toMatchObject({ low: expect.any(Number), high: expect.any(Number) });
});

test("[ET7] after a cached prefix the rules that follow the rate win over the lifetime rate", () => {
  const { eta } = play({ total: 1000, seconds: 60, done: prefix });
  // 250 units are left at 5 a second; the lifetime rate would say 20 s.
  expect(seconds(eta)).toBeGreaterThan(40);
  expect(seconds(eta)).toBeLessThan(60);
});

test("[ET7] with earlier runs the prefix is seen through while it lasts", () => {
  const { eta } = play({ total: 1000, seconds: 8, done: prefix, history: past(prefix, 110) });
  // The truth is 102 s; the rate so far says 12 s.
  expect(seconds(eta)).toBeGreaterThan(80);
  expect(seconds(eta)).toBeLessThan(125);
});

test("[ET8] with earlier runs there is an estimate before anything moves", () => {
  const { eta } = play({ total: 1000, seconds: 0, done: steady, history: past(steady, 100) });
  expect(seconds(eta)).toBeCloseTo(100, 0);
});

test("[ET8] twice the data is expected to take twice the time", () => {
  const { eta } = play({ total: 2000, seconds: 0, done: steady, history: past(steady, 100) });
  expect(seconds(eta)).toBeCloseTo(200, 0);
});

test("[ET6] earlier runs tell the length of the tail", () => {
  const history = past(steady, 150);
  expect(seconds(play({ total: 1000, seconds: 50, done: steady, history }).eta)).toBeCloseTo(100, -1);
  expect(seconds(play({ total: 1000, seconds: 120, done: steady, history }).eta)).toBeCloseTo(30, 0);
});

test("[ET1] whatever is reported, an estimate is finite, ordered and not negative", {
  timeout: 60_000,
}, () => {
  const learned = expectRun(past(steady, 100, 1));
  const steps = fc.array(fc.tuple(fc.nat(60_000), fc.nat(1e6), fc.nat(1e7)), { maxLength: 40 });
  fc.assert(
    fc.property(steps, fc.boolean(), (list, withHistory) => {
      const expected = withHistory ? learned : undefined;
      let [now, done] = [0, 0];
      let told = estimate(beginRun({ unit: "items", done: 0 }, 0, undefined), expected);
      for (const [wait, more, left] of list) {
        now += wait;
        done += more;
        told = estimate(
          continueRun(told.run, { unit: "items", done, total: done + left }, now, true),
          expected,
        );
        if ("unknown" in told.eta) continue;
        const { low, high, seconds: middle } = told.eta;
        if (!(0 <= low && low <= middle && middle <= high && Number.isFinite(high))) return false;
      }
      return true;
    }),
    { numRuns: 1000 },
  );
});
