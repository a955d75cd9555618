import { expect, test } from "vitest";
import { copyIntervalMs } from "./share-of-writes.ts";

test.each([
  [0, 500],
  [1, 500],
  [20, 500],
  [110, 5_250],
  [200, 10_000],
  [5_000, 10_000],
])("copyIntervalMs() of %i copies is %i ms", (copies, want) => {
  expect(copyIntervalMs(copies)).toBe(want);
});

test("all agents together stay within the budget, however many copies run below upstream's pace", () => {
  const perSecond = Array.from({ length: 400 }, (_, i) => ((i + 1) * 1000) / copyIntervalMs(i + 1));
  expect(Math.max(...perSecond)).toBeLessThanOrEqual(40);
});
