import { expect, test } from "vitest";
import { parseQuantity } from "./quantity.ts";

test.each([
  ["10Gi", 10 * 2 ** 30],
  ["1.5Ki", 1536],
  ["10G", 1e10],
  ["1E", 1e18],
  ["1e3", 1000],
  ["1E3", 1000],
  ["12e-1", 1.2],
  ["100m", 0.1],
  ["-2k", -2000],
  [".5", 0.5],
  ["5.", 5],
  [7, 7],
  ["0", 0],
])("parseQuantity(%j) is %d", (text, want) => {
  expect(parseQuantity(text)).toBeCloseTo(want, 9);
});

test.each(["", " 1", "1 Gi", "Gi", "1KB", "1.2.3", "1e", "1Gi2", null, undefined, Number.NaN, Infinity])(
  "parseQuantity(%j) is no quantity",
  (text) => {
    expect(parseQuantity(text)).toBeUndefined();
  },
);
