import { expect, test } from "vitest";
import { backoffMs, Pace } from "./pace.ts";

test("Pace lets a burst go and then one at a time", () => {
  const pace = new Pace(2, 0);
  expect([pace.take(0), pace.take(0), pace.take(0)]).toEqual([0, 0, 30_000]);
  expect(pace.take(29_000)).toBe(1_000);
  expect(pace.take(30_000)).toBe(0);
  expect(pace.take(30_000)).toBe(30_000);
});

test("Pace gives no more than a minute's worth after a long rest", () => {
  const pace = new Pace(3, 0);
  const taken = Array.from({ length: 5 }, () => pace.take(3_600_000)).filter((wait) => wait === 0);
  expect(taken).toHaveLength(3);
});

test.each([
  [1, 0, 750],
  [1, 1, 1_000],
  [4, 1, 8_000],
  [60, 1, 300_000],
])("backoffMs() after %i failures", (failures, random, want) => {
  expect(backoffMs(failures, random)).toBe(want);
});
