import fc from "fast-check";
import { expect, test } from "vitest";
import { backoffMs } from "./backoff.ts";

test.each([
  [0, 0, 50],
  [0, 1, 100],
  [1, 1, 200],
  [3, 0, 400],
  [20, 1, 5_000],
  [1_000_000, 0, 2_500],
])("backoffMs() attempt %i, random %d", (attempt, random, want) => {
  expect(backoffMs({ firstMs: 100, maxMs: 5_000 }, attempt, random)).toBe(want);
});

test("backoffMs() is never more than the cap and never zero", () => {
  fc.assert(
    fc.property(fc.nat(), fc.double({ min: 0, max: 1, noNaN: true }), (attempt, random) => {
      const wait = backoffMs({ firstMs: 10, maxMs: 1_000 }, attempt, random);
      expect(wait).toBeGreaterThanOrEqual(5);
      expect(wait).toBeLessThanOrEqual(1_000);
    }),
  );
});
