import fc from "fast-check";
import { expect, test } from "vitest";
import type { Eta } from "./eta.ts";
import {
  formatBytes,
  formatDuration,
  formatEta,
  formatMoment,
  formatPercent,
  formatProgress,
  formatProgressShort,
  formatRate,
  percentText,
} from "./format.ts";

test.each([
  [0, "0.00"],
  [0.3, "30.00"],
  [0.29, "29.00"],
  [1.3 / 3, "43.33"],
  [2 / 3, "66.66"],
  [0.9999, "99.99"],
  [0.999_999_999_999, "99.99"],
  [1, "100.00"],
  [7, "100.00"],
  [-1, "0.00"],
  [Number.NaN, "0.00"],
])("[FM2] the share %d is %s in an ActionSet", (share, want) => {
  expect(percentText(share)).toBe(want);
});

test("[FM1] nothing short of the whole reads 100", { timeout: 60_000 }, () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (share) => {
      return formatPercent(share) !== "100%" && percentText(share) !== "100.00";
    }),
    { numRuns: 10_000 },
  );
  expect(formatPercent(1)).toBe("100%");
});

test.each([
  [0, "0 B", "0 B"],
  [999, "999 B", "999 B"],
  [1024, "1.0 KiB", "1.0 kB"],
  [1_048_575, "1.0 MiB", "1.0 MB"],
  [49_461_329_920, "46.1 GiB", "49.5 GB"],
  [150 * 2 ** 30, "150 GiB", "161 GB"],
  [2 ** 53, "8.0 PiB", "9.0 PB"],
])("[FM3] %d bytes are %s or %s", (bytes, iec, si) => {
  expect([formatBytes(bytes), formatBytes(bytes, "si")]).toEqual([iec, si]);
});

test.each([
  [0, "0s"],
  [3.2, "3s"],
  [59.6, "1m 00s"],
  [123, "2m 03s"],
  [3723, "1h 02m 03s"],
  [90_061, "1d 01h 01m 01s"],
  [-5, "0s"],
])("[FM4] %d seconds are %s", (seconds, want) => {
  expect(formatDuration(seconds)).toBe(want);
});

test.each([
  ["[FM5] bytes", 12.9 * 2 ** 20, "bytes", "12.9 MiB/s"],
  ["[FM5] items", 42.4, "items", "42 items/s"],
  ["[FM5] slow items", 0.23, "items", "0.2 items/s"],
] as const)("%s", (_rule, rate, unit, want) => {
  expect(formatRate(rate, unit)).toBe(want);
});

test.each([
  [{ unit: "items", done: 3, total: 10 }, "3 of 10 items"],
  [{ unit: "items", done: 12 }, "12 items so far"],
  [{ unit: "bytes", done: 2 ** 30, total: 2 ** 31 }, "1.0 GiB of 2.0 GiB"],
] as const)("formatProgress() of %o is %s", (progress, want) => {
  expect(formatProgress(progress)).toBe(want);
});

test.each([
  [{ unit: "items", done: 3, total: 10 }, "3 of 10"],
  [{ unit: "items", done: 10, total: 10 }, "10 items"],
  [{ unit: "steps", done: 1, total: 1 }, "1 step"],
  [{ unit: "items", done: 12 }, "12 items so far"],
  [{ unit: "bytes", done: 2 ** 30, total: 2 ** 31 }, "1.0 of 2.0 GiB"],
  [{ unit: "bytes", done: 2 ** 20, total: 2 ** 31 }, "1.0 MiB of 2.0 GiB"],
  [{ unit: "bytes", done: 2 ** 31, total: 2 ** 31 }, "2.0 GiB"],
] as const)("formatProgressShort() of %o is %s", (progress, want) => {
  expect(formatProgressShort(progress)).toBe(want);
});

test("formatEta() leaves the range out where there is no room", () => {
  expect(formatEta({ seconds: 45, low: 30, high: 70 }, true)).toBe("about 45 s left");
});

test.each([
  [{ seconds: 4, low: 2, high: 8 }, "a few seconds left"],
  [{ seconds: 45, low: 30, high: 70 }, "about 45 s left (30 to 70 s)"],
  [{ seconds: 300, low: 240, high: 480 }, "about 5 min left (4 to 8 min)"],
  [{ seconds: 2712, low: 1800, high: 3600 }, "about 45 min left (30 to 60 min)"],
  [{ seconds: 7920, low: 7200, high: 10_800 }, "about 2.2 h left (2 to 3 h)"],
  [{ seconds: 7200, low: 7190, high: 7210 }, "about 2 h left"],
  [{ unknown: "counting" }, "still counting"],
  [{ unknown: "too-early" }, "too early to say"],
  [{ unknown: "waiting" }, "waiting"],
  [{ unknown: "stalled" }, "stalled"],
] as [Eta, string][])("[FM6] %o reads %s", (eta, want) => {
  expect(formatEta(eta)).toBe(want);
});

test("[FM8] a moment is UTC to the second, and a dash where no calendar has it", () => {
  expect(formatMoment(Date.UTC(2026, 10, 16, 14, 2, 5, 999))).toBe("2026-11-16T14:02:05Z");
  expect([formatMoment(Number.NaN), formatMoment(Infinity), formatMoment(1e16)]).toEqual(["–", "–", "–"]);
});

test("[FM7] what is not a number is a dash", () => {
  const dashes = [
    formatBytes(Number.NaN),
    formatDuration(Infinity),
    formatRate(Number.NaN, "bytes"),
    formatPercent(undefined),
  ];
  expect(dashes).toEqual(["–", "–", "–", "–"]);
});

test("[FM9] a total that is a guess never reads as a fact", () => {
  const GiB = 1024 ** 3;
  const guess = (done: number, total: number) => ({ unit: "bytes", done, total, estimated: true }) as const;
  expect(formatProgress(guess(GiB, 1.8 * GiB))).toBe("1.0 GiB of about 1.8 GiB");
  expect(formatProgressShort(guess(GiB, 1.8 * GiB))).toBe("1.0 of about 1.8 GiB");
  expect(formatProgressShort(guess(1024, GiB))).toBe("1.0 KiB of about 1.0 GiB");
  expect(formatProgressShort(guess(GiB, GiB))).toBe("1.0 GiB of about 1.0 GiB");
  expect(formatProgressShort({ unit: "items", done: 2, total: 9, estimated: true })).toBe("2 of about 9");
});
