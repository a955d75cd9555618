import { expect, test } from "vitest";
import { summarize, type TestFile } from "./summary.ts";

function file(name: string, seconds: number, ...statuses: string[]): TestFile {
  const assertionResults = statuses.map((status, n) => ({ fullName: `test ${n}`, status }));
  const status = statuses.includes("failed") ? "failed" : "passed";
  return { name, status, startTime: 0, endTime: seconds * 1000, assertionResults };
}

test("summarize() counts the tests of every tier", () => {
  const { counts, good, failed, skipped } = summarize([
    { name: "unit", files: [file("a", 1, "passed", "passed")] },
    { name: "ui", files: [file("b", 1, "passed")] },
  ]);
  expect({ counts, good, failed, skipped }).toEqual({
    counts: "3 passed, 0 failed, 0 skipped",
    good: true,
    failed: [],
    skipped: [],
  });
});

test("summarize() names what failed and what was skipped; both are no good", () => {
  const bad = summarize([{ name: "unit", files: [file("a", 1, "passed", "failed")] }]);
  expect(bad).toMatchObject({
    good: false,
    failed: ["unit a: test 1"],
    counts: "1 passed, 1 failed, 0 skipped",
  });
  const left = summarize([{ name: "unit", files: [file("a", 1, "passed", "pending")] }]);
  expect(left).toMatchObject({ good: false, skipped: ["unit a: test 1 (pending)"] });
});

test("summarize() fails on a file that broke before its tests, on a tier that ran nothing or left no results", () => {
  const broken = { ...file("a", 1, "passed"), status: "failed" };
  expect(summarize([{ name: "unit", files: [broken] }]).failed).toEqual(["unit a: the file itself"]);
  expect(summarize([{ name: "ui", files: [] }]).failed).toEqual(["ui: no test ran"]);
  expect(summarize([{ name: "ui", files: undefined }]).good).toBe(false);
  expect(summarize([]).good).toBe(false);
});

test("summarize() shows the twenty slowest files, the slowest first", () => {
  const files = Array.from({ length: 25 }, (_, n) => file(`f${n}`, n, "passed"));
  const { slowest } = summarize([{ name: "unit", files }]);
  expect(slowest).toHaveLength(20);
  expect(slowest[0]).toBe("   24.0 s  unit f24");
});
