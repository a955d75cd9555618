import { expect, test } from "vitest";
import type { Mark } from "../run.ts";
import { lastChange } from "./regime.ts";

const marks = (done: (second: number) => number): readonly Mark[] =>
  Array.from({ length: 61 }, (_, i) => [i * 10_000, done(i * 10)] as const);

test("[ET17] lastChange() finds where the rate fell", () => {
  const at = lastChange(marks((s) => (s <= 300 ? s * 100 : 30_000 + (s - 300) * 10)));
  expect(at).toBeGreaterThanOrEqual(29);
  expect(at).toBeLessThanOrEqual(32);
});

test("[ET17] a steady flow has no change", () => {
  expect(lastChange(marks((s) => s * 100 + (s % 3)))).toBe(0);
});
