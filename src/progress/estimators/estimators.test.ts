import { expect, test } from "vitest";
import { beginRun, continueRun, type Run } from "../run.ts";
import { curve } from "./curve.ts";
import { lifetime } from "./lifetime.ts";
import { partCurve } from "./part-curve.ts";
import { lastChange, regime } from "./regime.ts";
import { recentWindow } from "./window.ts";

function play(seconds: number, done: (second: number) => number): Run {
  let run = beginRun({ unit: "bytes", done: 0 }, 0, 0);
  for (let s = 1; s <= seconds; s++) run = continueRun(run, { unit: "bytes", done: done(s) }, s * 1000, true);
  return run;
}

/** 100 units a second for 300 s, then 10. */
const slower = (s: number) => (s <= 300 ? s * 100 : 30_000 + (s - 300) * 10);
const fell = { run: play(600, slower), total: 1e5 };

test.each([
  ["lifetime", lifetime, 600_000 / 33_000],
  ["window", recentWindow, 100],
])("%s tells its pace after the rate fell", (_name, rule, want) => {
  expect(rule.pace(fell)).toBeCloseTo(want, -1);
});

test("[ET17] regime follows the rate that fell, but for the stretch in which it fell", () => {
  expect(regime.pace(fell)).toBeGreaterThan(80);
  expect(regime.pace(fell)).toBeLessThanOrEqual(100);
});

test.each([lifetime, recentWindow, regime, curve, partCurve])(
  "$name says nothing without evidence",
  (rule) => {
    expect(rule.pace({ run: beginRun({ unit: "bytes", done: 0 }, 0, 0), total: 10 })).toBeUndefined();
  },
);

test("[ET17] a steady flow has no change", () => {
  expect(lastChange(play(600, (s) => s * 100 + (s % 3)).marks)).toBe(0);
});

test("curve stretches the earlier runs to the speed of this one", () => {
  const expected = { workMs: 100_000, tailMs: 0, units: 1000, curve: [0, 500, 1000], losses: {} };
  const evidence = { run: play(100, (s) => s * 5), total: 1000, expected };
  // Half of the units took 100 s where 50 s were planned; the earlier runs still have a small say.
  expect(curve.pace(evidence)).toBeGreaterThan(1.85);
  expect(curve.pace(evidence)).toBeLessThanOrEqual(2);
  expect(curve.work(1000, evidence) - curve.work(500, evidence)).toBe(50_000);
});

test("part-curve lets every part of the data speak alike, and an odd one little", () => {
  // The second half is planned ten times as slow as the first.
  const expected = { workMs: 110_000, tailMs: 0, units: 1000, curve: [0, 91, 1000], losses: {} };
  // All of the first half at twice the planned time, then 40 units as planned.
  const run = play(28, (s) => (s <= 20 ? s * 25 : 500 + (s - 20) * 5));
  const evidence = { run, total: 1000, expected };
  expect(partCurve.pace(evidence)).toBeGreaterThan(1.8);
  expect(curve.pace(evidence)).toBeLessThan(1.65);
  const stopped = play(600, (s) => (s <= 20 ? s * 25 : s < 600 ? 500 : 501));
  expect(partCurve.pace({ ...evidence, run: stopped })).toBeLessThan(2.1);
});
