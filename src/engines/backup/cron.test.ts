import { expect, test } from "vitest";
import { parseGoDurationMs } from "../../api/index.ts";
import { nextTime, parseCron } from "./cron.ts";

const after = Date.parse("2026-11-15T10:07:30Z"); // a Sunday

test.each([
  ["*/5 * * * *", "2026-11-15T10:10:00Z"],
  ["0 3 * * *", "2026-11-16T03:00:00Z"],
  ["30 10 * * *", "2026-11-15T10:30:00Z"],
  ["0 0 1 * *", "2026-12-01T00:00:00Z"],
  ["0 0 29 2 *", "2028-02-29T00:00:00Z"],
  ["0 0 * * mon-fri", "2026-11-16T00:00:00Z"],
  ["0 0 * * 7", "2026-11-22T00:00:00Z"],
  ["0 0 13 * FRI", "2026-11-20T00:00:00Z"],
  ["15,45 10-12/2 * nov *", "2026-11-15T10:15:00Z"],
  ["5/20 10 * * *", "2026-11-15T10:25:00Z"],
  ["@daily", "2026-11-16T00:00:00Z"],
  ["@weekly", "2026-11-22T00:00:00Z"],
  ["@every 1h30m", "2026-11-15T11:37:30Z"],
  ["CRON_TZ=UTC 0 11 * * *", "2026-11-15T11:00:00Z"],
])("%s fires next at %s", (text, want) => {
  const cron = parseCron(text, parseGoDurationMs);
  if (typeof cron === "string") throw new Error(cron);
  expect(new Date(nextTime(cron, after) ?? 0).toISOString().replace(".000", "")).toBe(want);
});

test.each([
  "",
  "* * * *",
  "60 * * * *",
  "* 24 * * *",
  "* * 0 * *",
  "a * * * *",
  "*/0 * * * *",
  "5-1 * * * *",
  "@every soon",
  "@sometimes",
  "constructor",
  "__proto__",
  "TZ=Asia/Tokyo 0 0 * * *",
])("%j cannot be read", (text) => {
  expect(typeof parseCron(text, parseGoDurationMs)).toBe("string");
});

test("a date that never comes has no next time", () => {
  const cron = parseCron("0 0 31 2 *", parseGoDurationMs);
  if (typeof cron === "string") throw new Error(cron);
  expect(nextTime(cron, after)).toBeUndefined();
});
