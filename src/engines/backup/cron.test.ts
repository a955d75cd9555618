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
  ["CRON_TZ=Asia/Tokyo 0 20 * * *", "2026-11-15T11:00:00Z"],
  ["TZ=America/New_York 30 5 * * *", "2026-11-15T10:30:00Z"],
  ['TZ="Asia/Kolkata" 0 16 * * *', "2026-11-15T10:30:00Z"],
  ["TZ=Asia/Tokyo @daily", "2026-11-15T15:00:00Z"],
  ["CRON_TZ=Asia/Tokyo @every 1h", "2026-11-15T11:07:30Z"],
  ["0 22-2/2 * * *", "2026-11-15T22:00:00Z"],
  ["0 0 * * fri-sun", "2026-11-20T00:00:00Z"],
  ["0 0 */2 * mon", "2026-11-16T00:00:00Z"],
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
  "@every soon",
  "@sometimes",
  "constructor",
  "__proto__",
  "TZ=Nowhere/Land 0 0 * * *",
  "TZ=+01:00 0 0 * * *",
  "TZ=UTC",
  "CRON_TZ=Asia/Tokyo",
  "0 0 0 1 * *",
])("%j cannot be read", (text) => {
  expect(typeof parseCron(text, parseGoDurationMs)).toBe("string");
});

test("a date that never comes has no next time", () => {
  const cron = parseCron("0 0 31 2 *", parseGoDurationMs);
  if (typeof cron === "string") throw new Error(cron);
  expect(nextTime(cron, after)).toBeUndefined();
});

// In Berlin the clocks go from 2 to 3 on 2027-03-28 (01:00 UTC), and from 3 back to 2 on 2026-10-25 (01:00 UTC).
test.each([
  ["30 2 * * *", "2027-03-27T12:00:00Z", ["2027-03-28T01:00:00Z", "2027-03-29T00:30:00Z"]],
  ["0 3 * * *", "2027-03-27T12:00:00Z", ["2027-03-28T01:00:00Z", "2027-03-29T01:00:00Z"]],
  ["0,30 2 * * *", "2027-03-28T00:00:00Z", ["2027-03-28T01:00:00Z", "2027-03-29T00:00:00Z"]],
  ["30 * * * *", "2027-03-28T00:00:00Z", ["2027-03-28T00:30:00Z", "2027-03-28T01:30:00Z"]],
  ["30 2 * * *", "2026-10-24T12:00:00Z", ["2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"]],
  ["0 3 * * *", "2026-10-24T12:00:00Z", ["2026-10-25T02:00:00Z", "2026-10-26T02:00:00Z"]],
  [
    "*/30 * * * *",
    "2026-10-24T23:59:00Z",
    [
      "2026-10-25T00:00:00Z",
      "2026-10-25T00:30:00Z",
      "2026-10-25T01:00:00Z",
      "2026-10-25T01:30:00Z",
      "2026-10-25T02:00:00Z",
    ],
  ],
])("%s of Berlin after %s fires at %j when the clocks change", (text, from, want) => {
  const cron = parseCron(`CRON_TZ=Europe/Berlin ${text}`, parseGoDurationMs);
  if (typeof cron === "string") throw new Error(cron);
  const found: string[] = [];
  for (let at = Date.parse(from); found.length < want.length; ) {
    at = nextTime(cron, at) ?? Number.NaN;
    found.push(new Date(at).toISOString().replace(".000", ""));
  }
  expect(found).toEqual(want);
});

test("a day that a zone left out as a whole is made up for", () => {
  // Apia had no 30 December 2011.
  const cron = parseCron("CRON_TZ=Pacific/Apia 0 12 30 12 *", parseGoDurationMs);
  if (typeof cron === "string") throw new Error(cron);
  const next = nextTime(cron, Date.parse("2011-12-30T00:00:00Z"));
  expect(new Date(next ?? 0).toISOString()).toBe("2011-12-30T10:00:00.000Z");
});
