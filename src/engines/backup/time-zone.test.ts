import { expect, test } from "vitest";
import { isTimeZone, moments, wallTime } from "./time-zone.ts";

test.each([
  ["Europe/Berlin", true],
  ["UTC", true],
  ["Etc/GMT+5", true],
  ["Europe/Atlantis", false],
  ["+01:00", false],
  ["", false],
  ["../etc/passwd", false],
])("isTimeZone(%j) is %s", (name, want) => {
  expect(isTimeZone(name)).toBe(want);
});

test.each([
  ["an ordinary time", "2026-11-15T12:00:00Z", ["2026-11-15T11:00:00Z"], undefined],
  [
    "one that comes twice",
    "2026-10-25T02:30:00Z",
    ["2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z"],
    undefined,
  ],
  ["one that is left out", "2027-03-28T02:30:00Z", [], "2027-03-28T01:00:00Z"],
])("moments() of %s", (_name, wall, at, skipped) => {
  const want = { at: at.map((one) => Date.parse(one)), ...(skipped && { skipped: Date.parse(skipped) }) };
  expect(moments("Europe/Berlin", Date.parse(wall))).toEqual(want);
});

test("wallTime() is what the clocks show", () => {
  expect(wallTime("Asia/Kolkata", 0)).toBe(5.5 * 3_600_000);
  expect(wallTime(undefined, 5)).toBe(5);
});
