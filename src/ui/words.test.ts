import { expect, test } from "vitest";
import { anOperation } from "../../test/harness/fake-observer.ts";
import { clockTime, elapsed, shortTime, utcTime } from "./words.ts";

test("clockTime() is the time of day, without seconds", () => {
  expect(clockTime(new Date(2026, 10, 16, 9, 5, 7).getTime())).toMatch(/^0?9:05/);
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
