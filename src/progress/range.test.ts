import { expect, test } from "vitest";
import { range } from "./range.ts";

const expected = (low: number, high: number) => ({
  workMs: 1,
  tailMs: 0,
  units: 1,
  curve: [],
  spread: { low, high },
  losses: {},
});

test("[ET13] the misses of earlier runs make the range", () => {
  const { low, high } = range(expected(-0.1, 0.4), 9);
  expect(low).toBeCloseTo(Math.exp(-0.15), 6);
  expect(high).toBeCloseTo(Math.exp(0.6), 6);
});

test("[ET13] without misses the range follows how wrong this run's rules were", () => {
  const [calm, wild] = [range(undefined, 0.1), range(undefined, 0.8)];
  expect(wild.high).toBeGreaterThan(calm.high);
  expect(wild.low).toBeLessThan(calm.low);
});

test("[ET1] the range always holds the estimate", () => {
  for (const { low, high } of [range(undefined, 0), range(expected(1, 1), 0), range(expected(-1, -1), 0)]) {
    expect(low).toBeLessThan(1);
    expect(high).toBeGreaterThan(1);
  }
});
