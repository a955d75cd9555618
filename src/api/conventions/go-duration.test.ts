import fc from "fast-check";
import { expect, test } from "vitest";
import { formatGoDuration, parseGoDurationMs } from "./go-duration.ts";

test.each([
  ["720h0m0s", 2_592_000_000],
  ["1h30m", 5_400_000],
  ["0", 0],
  ["0s", 0],
  ["1.5s", 1500],
  [".5m", 30_000],
  ["-2m", -120_000],
  ["250ms", 250],
  ["2us", 0.002],
  ["2µs", 0.002],
  ["1m1m", 120_000],
  ["", undefined],
  ["10", undefined],
  ["1d", undefined],
  ["h", undefined],
  ["1 h", undefined],
  [".s", undefined],
  ["2562047h", 9_223_369_200_000],
  ["2562048h", undefined],
])("parseGoDurationMs(%j) is %j", (text, want) => {
  expect(parseGoDurationMs(text)).toBe(want);
});

test.each([
  [2_592_000_000, "720h0m0s"],
  [600_000, "10m0s"],
  [1500, "1.5s"],
  [250, "250ms"],
  [0.5, "500µs"],
  [0, "0s"],
  [-61_000, "-1m1s"],
])("formatGoDuration(%j) is %s", (ms, want) => {
  expect(formatGoDuration(ms)).toBe(want);
});

test("a long text that is no duration is refused at once", () => {
  expect(parseGoDurationMs(`${"11m".repeat(10_000)}!`)).toBeUndefined();
});

test("a printed duration reads back as itself", () => {
  fc.assert(
    fc.property(fc.integer({ min: -1e12, max: 1e12 }), (ms) => {
      expect(parseGoDurationMs(formatGoDuration(ms))).toBeCloseTo(ms, 3);
    }),
  );
});
