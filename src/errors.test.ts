import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { AppError, codes, exitCodeOf } from "./errors.ts";

const root = join(import.meta.dirname, "..");

test("every error code has a heading in docs/errors.md, and every heading a code", () => {
  const headings = [...readFileSync(join(root, "docs/errors.md"), "utf8").matchAll(/^## ([A-Z_]+)$/gm)].map(
    ([, code]) => code,
  );
  expect(headings).toEqual(Object.keys(codes));
  expect(headings).toEqual(headings.toSorted((a = "", b = "") => (a < b ? -1 : 1)));
});

test("every error code is provoked by a test", () => {
  const provoked = new Set<string>();
  for (const file of testFiles()) {
    for (const [, code = ""] of readFileSync(file, "utf8").matchAll(/code: "([A-Z_]+)"/g)) provoked.add(code);
  }
  expect(Object.keys(codes).filter((code) => !provoked.has(code))).toEqual([]);
});

test("exitCodeOf() maps a code to its exit and a bug to 1", () => {
  expect(exitCodeOf(new AppError("USAGE", "unknown flag"))).toBe(2);
  expect(exitCodeOf(new Error("bug"))).toBe(1);
});

function testFiles(): string[] {
  const found: string[] = [];
  for (const folder of ["src", "test"]) {
    for (const file of readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })) {
      if (/(\.test|conformance)\.tsx?$/.test(file) && file !== "errors.test.ts")
        found.push(join(root, folder, file));
    }
  }
  return found;
}
