import { expect, test } from "vitest";
import { formatTime, parseTimeMs } from "./time.ts";

test("formatTime() gives whole seconds in UTC, cut off", () => {
  expect(formatTime(Date.UTC(2026, 10, 15, 10, 0, 0, 999))).toBe("2026-11-15T10:00:00Z");
});

test.each([
  ["2026-11-15T10:00:00Z", Date.UTC(2026, 10, 15, 10)],
  ["2026-11-15T11:00:00+01:00", Date.UTC(2026, 10, 15, 10)],
  ["2026-11-15T10:00:00.5Z", Date.UTC(2026, 10, 15, 10, 0, 0, 500)],
  ["2023-02-20T12:448:55Z", undefined],
  ["2026-13-15T10:00:00Z", undefined],
  ["2026", undefined],
  ["", undefined],
  [null, undefined],
  [undefined, undefined],
])("parseTimeMs(%j) is %j", (text, want) => {
  expect(parseTimeMs(text)).toBe(want);
});
