import { expect, test } from "vitest";
import { expectedSeconds, expect as expectRun, type PastRun, timeAt } from "./history.ts";

const past = (workMs: number, tailMs = 0, more: Partial<PastRun> = {}): PastRun => ({
  workMs,
  tailMs,
  units: 100,
  curve: [0, 500, 1000],
  misses: [],
  losses: {},
  ...more,
});
const of = (...runs: PastRun[]) => expectRun({ version: 1, runs });

test("expect() knows nothing from nothing", () => {
  expect([expectRun(undefined), of(), of(past(0)), of(past(5, 0, { units: 0 }))]).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});

test("expect() is not led astray by one odd run of three", () => {
  expect(of(past(1000), past(90_000), past(1000))?.workMs).toBeLessThan(20_000);
});

test("expect() takes the size of the newest run and the pace of all", () => {
  expect(of(past(1000), past(2000, 0, { units: 200 }))).toMatchObject({ units: 200, workMs: 2000 });
});

test("[ET6] a tail that follows the work is a share of it, a fixed one is not", () => {
  expect(of(past(1000, 500), past(2000, 1000))?.tailShare).toBeCloseTo(0.5, 9);
  expect(of(past(1000, 500), past(2000, 500))?.tailShare).toBeUndefined();
});

test("[ET7] the losses of each rule are their mean over the runs that tried it", () => {
  const runs = [
    past(1, 0, { losses: { lifetime: 0.1 } }),
    past(1, 0, { losses: { lifetime: 0.3, curve: 0.2 } }),
  ];
  expect(of(...runs)?.losses).toEqual({ lifetime: 0.2, curve: 0.2 });
});

test("expectedSeconds() is the weight of a step, tail included", () => {
  expect(expectedSeconds({ version: 1, runs: [past(3000, 1000)] })).toBe(4);
  expect(expectedSeconds(undefined)).toBeUndefined();
});

test.each([
  [0, 0],
  [0.25, 0.45],
  [0.5, 0.9],
  [0.75, 0.95],
  [1, 1],
  [7, 1],
  [-1, 0],
])("timeAt() of %d on a curve with a slow first half is %d", (share, want) => {
  expect(timeAt([0, 900, 1000], share)).toBeCloseTo(want, 9);
});

test("[ET13] four of five misses lie in the spread, once there are enough of them", () => {
  const misses = [-20, -10, -10, 0, 0, 0, 10, 10, 40, 40, 50];
  expect(of(past(1, 0, { misses }))?.spread).toEqual({ low: -0.1, high: 0.4 });
  expect(of(past(1, 0, { misses: [1, 2, 3] }))?.spread).toBeUndefined();
});
