import fc from "fast-check";
import { expect, test } from "vitest";
import { hundredths, mean, percentText } from "./percent.ts";

test.each([
  [100, "100.00", "100"],
  [30.1, "30.10", "30"],
  [8.2, "8.20", "8"],
  [0, "0.00", "0"],
  [99.999, "99.99", "99"],
  [(2 / 3) * 100, "66.66", "66"],
  [300, "100.00", "100"],
])("percentText() writes %d as %s", (percent, decimal, integer) => {
  const value = hundredths(percent) ?? -1;
  expect(percentText(value, "decimal")).toBe(decimal);
  expect(percentText(value, "integer")).toBe(integer);
});

test.each([Number.NaN, -1, Number.POSITIVE_INFINITY])("hundredths(%d) is nothing", (percent) => {
  expect(hundredths(percent)).toBeUndefined();
});

test("mean() of the design's three phases is 43.33", () => {
  expect(percentText(mean([10_000, 3_000, 0]), "decimal")).toBe("43.33");
  expect(mean([])).toBe(0);
});

test("hundredths() keeps every percent of two decimals", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 10_000 }), (value) => {
      expect(hundredths(value / 100)).toBe(value);
      expect(Number(percentText(value, "decimal"))).toBe(value / 100);
    }),
  );
});
