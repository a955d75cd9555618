import { expect, test } from "vitest";
import { anOperation } from "../../test/harness/fake-observer.ts";
import { elapsed, shortTime, sureness, utcTime } from "./words.ts";

test.each([
  [{ seconds: 100, low: 90, high: 115 }, "quite sure"],
  [{ seconds: 100, low: 70, high: 150 }, "fairly sure"],
  [{ seconds: 100, low: 20, high: 300 }, "a rough guess"],
  [{ seconds: 3, low: 1, high: 6 }, "nearly there"],
  [{ unknown: "counting" }, ""],
] as const)("sureness(%j) is %s", (eta, want) => {
  expect(sureness(eta)).toBe(want);
});

test("shortTime() says no more than is needed to know when", () => {
  const now = new Date(2026, 10, 16, 12, 0, 0).getTime();
  expect(shortTime(new Date(2026, 10, 16, 9, 5, 7).getTime(), now)).toContain("05:07");
  const before = shortTime(new Date(2026, 10, 14, 9, 5, 7).getTime(), now);
  expect(before).toContain("Nov 14");
  expect(before).not.toContain("2026");
  expect(shortTime(new Date(2025, 10, 14).getTime(), now)).toContain("2025");
});

test("words for moments", () => {
  expect(utcTime(0)).toBe("1970-01-01 00:00:00 UTC");
  expect(elapsed(anOperation("a", { startedAt: 1_000 }), 4_000)).toBe("3s");
});
