import { expect, test } from "vitest";
import { steady, stretching, writeBudget } from "./budget.ts";

test.each([
  [0, 1_000],
  [20_000, 1_000],
  [60_000, 2_000],
  [300_000, 10_000],
  [86_400_000, 10_000],
])("stretching() after %i ms", (elapsedMs, want) => {
  expect(stretching(elapsedMs)).toBe(want);
});

test.each([
  ["ten seconds of stretching work", 10_000, 0, stretching, 11],
  ["the same with two phase changes", 10_000, 2, stretching, 13],
  ["a pod volume of an hour", 3_600_000, 1, steady(10_000), 362],
  ["nothing but the first and the last", 500, 0, stretching, 2],
])("writeBudget() of %s", (_name, durationMs, phases, interval, want) => {
  expect(writeBudget(durationMs, phases, interval)).toBe(want);
});

test("writeBudget() of an hour of one operation keeps to one per ten seconds and a hundred more", () => {
  expect(writeBudget(3_600_000, 0, stretching)).toBeLessThanOrEqual(3_600 / 10 + 100);
});
