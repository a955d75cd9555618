import fc from "fast-check";
import { expect, test } from "vitest";
import { estimate } from "./estimate.ts";
import type { Eta } from "./eta.ts";
import { expect as expectRun } from "./expect.ts";
import type { History } from "./history.ts";
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
  const total = script.total === undefined ? {} : { total: script.total };
  const at = (s: number) => ({ unit: "bytes" as const, done: script.done(s), ...total });
  let run = beginRun(at(0), 0, undefined);
  for (let s = 1; s <= script.seconds; s++) run = continueRun(run, at(s), s * 1000, true);
  return { run, eta: estimate(run, expectRun(script.history)) };
}

function known(eta: Eta): Exclude<Eta, { unknown: unknown }> {
  if ("unknown" in eta) throw new Error(`no estimate: ${eta.unknown}`);
  return eta;
}

const steady = (second: number) => Math.min(1000, second * 10);
/** A first half of the units that takes a tenth of the time. */
const prefix = (second: number) => (second <= 10 ? second * 50 : Math.min(1000, 500 + (second - 10) * 5));
const past = (done: Script["done"], length: number, runs = 3): History => {
  let history: History = { version: 2, runs: [] };
  for (let i = 0; i < runs; i++)
    history = learnRun(history, play({ total: 1000, seconds: length, done }).run);
  return history;
};

test.each([
  ["[ET2] without a total it is counting at first", { seconds: 9, done: steady }, "counting"],
  ["[ET3] five seconds are too early", { total: 1000, seconds: 5, done: steady }, "too-early"],
] as [string, Script, string][])("%s", (_rule, script, want) => {
  expect(play(script).eta).toEqual({ unknown: want });
});

test.each([
  ["no total", { seconds: 10, done: steady }],
  ["nothing done", { total: 1000, seconds: 10, done: () => 0 }],
  ["one movement", { total: 1000, seconds: 60, done: (s: number) => (s < 50 ? 0 : 10) }],
  ["all done", { total: 1000, seconds: 110, done: steady }],
  ["a rate that jumps", { total: 1e15, seconds: 200, done: (s: number) => Math.floor(10 ** (s / 14)) }],
] as [string, Script][])("[ET3] from ten seconds on there is an answer with a range: %s", (_what, script) => {
  const { seconds, low, high } = known(play(script).eta);
  expect(seconds).toBeGreaterThan(0);
  expect(low).toBeLessThan(seconds);
  expect(high).toBeGreaterThan(1.2 * seconds);
});

test("[ET1] a steady flow is foretold well from its first half on", () => {
  expect(Math.abs(known(play({ total: 1000, seconds: 60, done: steady }).eta).seconds - 40)).toBeLessThan(10);
});

test("[ET3] start-up time does not count into the rate", () => {
  const late = (s: number) => (s < 30 ? 0 : Math.min(1000, (s - 30) * 20));
  // 400 units are left at 20 a second; with the 30 s before the first of them it would be 40 s.
  expect(known(play({ total: 1000, seconds: 60, done: late }).eta).seconds).toBeLessThan(34);
});

test("[ET17] after a cached prefix the rate since then counts", () => {
  // 250 units are left at 5 a second; the lifetime rate would say 20 s. One run alone is followed with care.
  const { seconds, high } = known(play({ total: 1000, seconds: 60, done: prefix }).eta);
  expect(seconds).toBeGreaterThan(20.5);
  expect(high).toBeGreaterThan(50);
});

test("[ET7] with earlier runs the prefix is seen through while it lasts", () => {
  const { seconds } = known(play({ total: 1000, seconds: 8, done: prefix, history: past(prefix, 110) }).eta);
  // The truth is 102 s; the rate so far says 12 s.
  expect(seconds).toBeGreaterThan(90);
  expect(seconds).toBeLessThan(115);
});

test("[ET7] a few bytes in the first second do not outvote the history", () => {
  const rushed = (s: number) => Math.min(1000, 300 + s * 7);
  const { seconds } = known(play({ total: 1000, seconds: 1, done: rushed, history: past(steady, 100) }).eta);
  expect(seconds).toBeGreaterThan(60);
});

test("[ET7] early slowness is only partly expected to go on", () => {
  const slow = (s: number) => Math.min(1000, s * 5);
  const { seconds } = known(play({ total: 1000, seconds: 20, done: slow, history: past(steady, 100) }).eta);
  // At the full speed ratio it would be 180 s.
  expect(seconds).toBeGreaterThan(82);
  expect(seconds).toBeLessThan(135);
});

test("[ET8] with earlier runs there is an estimate before anything is counted", () => {
  const history = past(steady, 100);
  const unheard = beginRun({ unit: "steps", done: 0, total: 1 }, 20_000, 0);
  const { seconds } = known(estimate(unheard, expectRun(history)));
  expect(seconds).toBeGreaterThan(75);
  expect(seconds).toBeLessThan(95);
});

test("[ET8] more data is expected to take longer, within limits", () => {
  const told = (total: number) =>
    known(play({ total, seconds: 0, done: steady, history: past(steady, 100) }).eta).seconds;
  expect(told(2000)).toBeGreaterThan(1.2 * told(1000));
  expect(told(1e9)).toBeLessThan(4 * told(1000));
});

test("[ET6] earlier runs tell the length of the tail, also where the last byte is held back", () => {
  const held = (s: number) => Math.min(999, s * 10);
  const history = learnRun(past(held, 150, 2), play({ total: 1000, seconds: 150, done: held }).run);
  const at = (seconds: number) => known(play({ total: 1000, seconds, done: held, history }).eta).seconds;
  expect(at(50)).toBeCloseTo(100, -1);
  expect(Math.abs(at(120) - 30)).toBeLessThan(6);
});

test("[ET18] it counts down between two movements and never reaches nothing", () => {
  const history = past(steady, 100);
  let run = play({ total: 1000, seconds: 50, done: steady }).run;
  const expected = expectRun(history);
  let before = known(estimate(run, expected)).seconds;
  for (let s = 51; s < 60; s++) {
    run = continueRun(run, { unit: "bytes", done: 500, total: 1000 }, s * 1000, true);
    const now = known(estimate(run, expected)).seconds;
    expect(now).toBeLessThan(before);
    before = now;
  }
  run = continueRun(run, { unit: "bytes", done: 500, total: 1000 }, 3_600_000, true);
  expect(known(estimate(run, expected)).seconds).toBeGreaterThan(1);
});

test("[ET13] the range of runs that foretell each other badly is wider", () => {
  const even = past(steady, 100);
  const uneven = [60, 100, 170].reduce<History>(
    (history, length) =>
      learnRun(
        history,
        play({ total: 1000, seconds: length, done: (s) => Math.min(1000, (1000 * s) / length) }).run,
      ),
    { version: 2, runs: [] },
  );
  const width = (history: History) => {
    const { low, high, seconds } = known(play({ total: 1000, seconds: 30, done: steady, history }).eta);
    return (high - low) / seconds;
  };
  expect(width(uneven)).toBeGreaterThan(1.5 * width(even));
});

test("[ET1] whatever is reported, an estimate is finite, ordered and above nothing", {
  timeout: 60_000,
}, () => {
  const learned = expectRun(past(steady, 100, 1));
  const steps = fc.array(fc.tuple(fc.nat(60_000), fc.nat(1e6), fc.nat(1e7)), { maxLength: 40 });
  fc.assert(
    fc.property(steps, fc.boolean(), (list, withHistory) => {
      const expected = withHistory ? learned : undefined;
      let [now, done] = [0, 0];
      let run = beginRun({ unit: "items", done: 0 }, 0, undefined);
      for (const [wait, more, left] of list) {
        now += wait;
        done += more;
        run = continueRun(run, { unit: "items", done, total: done + left }, now, true);
        const eta = estimate(run, expected);
        if ("unknown" in eta) continue;
        const { low, high, seconds: middle } = eta;
        if (!(0 < low && low <= middle && middle <= high && Number.isFinite(high))) return false;
      }
      return true;
    }),
    { numRuns: 1000 },
  );
});
