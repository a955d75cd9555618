import { expect, test } from "vitest";
import { doneAt, expectedSeconds, type PastRun, placeOf, sizePower, workShare } from "./history.ts";

const past = (ms: number, more: Partial<PastRun> = {}): PastRun => ({
  ms,
  unit: "bytes",
  units: 100,
  curve: [0, 0, 1000, 1000],
  ...more,
});
/** Half at once, then nothing until 60 %, then the rest until 80 %, then a tail. */
const stepped = past(1000, { curve: [0, 0, 100, 500, 600, 500, 800, 1000, 1000, 1000] });

test("expectedSeconds() is the weight of a step, tail included", () => {
  expect(expectedSeconds({ version: 2, runs: [past(4000), past(90_000), past(5000)] })).toBe(5);
  expect(expectedSeconds({ version: 2, runs: [past(0), past(5, { units: 0 })] })).toBeUndefined();
  expect(expectedSeconds(undefined)).toBeUndefined();
});

test.each([
  [0, 0, 0],
  [0.25, 0.05, 0.05],
  [0.5, 0.1, 0.6],
  [0.75, 0.7, 0.7],
  [1, 0.8, 1],
  [7, 0.8, 1],
])("placeOf() of %d lies between %d and %d of the time", (share, from, to) => {
  const [a, b] = placeOf(stepped, share);
  expect(a).toBeCloseTo(from, 2);
  expect(b).toBeCloseTo(to, 2);
});

test.each([
  [0, 0],
  [0.05, 0.25],
  [0.3, 0.5],
  [0.7, 0.75],
  [0.9, 1],
])("doneAt() of %d is %d", (time, share) => {
  expect(doneAt(stepped, time)).toBeCloseTo(share, 2);
});

test("workShare() is the time before the tail", () => {
  expect(workShare(stepped)).toBe(0.8);
  expect(workShare(past(1))).toBe(1);
});

test("sizePower() follows earlier runs of different sizes, within limits", () => {
  const sized = (units: number, ms: number) => past(ms, { units });
  expect(sizePower([sized(100, 1000), sized(10_000, 100_000)])).toBeGreaterThan(0.9);
  expect(sizePower([sized(100, 1000), sized(10_000, 1000)])).toBeLessThan(0.1);
  expect(sizePower([sized(100, 1000), sized(1e9, 1)])).toBe(0);
});
