import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { decisionsIn, faultsOf, indexOf } from "./gen-decisions.ts";

test("decisions have numbers of their own, and the index has them all: if not, `npm run gen`", () => {
  const decisions = decisionsIn();
  expect(decisions.length, "a check that sees nothing must not pass").toBeGreaterThan(20);
  expect(faultsOf(decisions)).toEqual([]);
  const page = readFileSync(join(import.meta.dirname, "../docs/decisions/README.md"), "utf8");
  expect(page).toBe(indexOf(decisions));
});

test.each([
  ["a number twice", ["0001-a.md", "# 0001 A"], "0001-b.md has the number of 0001-a.md"],
  ["a name without a number", ["b.md", "# 0002 B"], "b.md is not named NNNN-title.md"],
  ["another number inside", ["0002-b.md", "# 0003 B"], '0002-b.md does not begin with "# 0002 Title"'],
  ["no title", ["0002-b.md", "Context"], '0002-b.md does not begin with "# 0002 Title"'],
] as const)("a planted fault is caught: %s", (_name, [file, head], want) => {
  const second = file === "0001-a.md" ? "0001-b.md" : file;
  const decisions = [
    { file: "0001-a.md", head: "# 0001 A" },
    { file: second, head },
  ];
  expect(faultsOf(decisions)).toEqual([want]);
});
