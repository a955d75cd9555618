import { expect, test } from "vitest";
import { includeExclude, includeExcludeFaults, passes, passesEverything } from "./include-exclude.ts";

test.each([
  [[], [], "a", true],
  [["*"], [], "a", true],
  [["a"], [], "a", true],
  [["a"], [], "b", false],
  [["shop-*"], [], "shop-1", true],
  [["*"], ["a"], "a", false],
  [[], ["shop-*"], "shop-1", false],
  [["a"], ["a"], "a", false],
])("passes() with includes %j, excludes %j of %j is %j", (includes, excludes, name, want) => {
  expect(passes({ includes, excludes }, name)).toBe(want);
});

test.each([
  [null, undefined, true],
  [["*"], [], true],
  [["a"], [], false],
  [["*"], ["b"], false],
])("passesEverything() with includes %j, excludes %j is %j", (includes, excludes, want) => {
  expect(passesEverything(includeExclude(includes, excludes))).toBe(want);
});

test.each([
  [["*", "a"], [], false, '"*" must be the only entry of the includes'],
  [[], ["*"], false, '"*" cannot be excluded'],
  [["a"], ["a"], false, '"a" is both included and excluded'],
  [["a["], [], false, '"a[" is not a pattern that can be read'],
  [[], ["*", "a"], true, '"*" must be the only entry of the excludes'],
  [["a"], ["*"], true, 'nothing can be included while "*" is excluded'],
])("includeExcludeFaults() of includes %j, excludes %j, scoped %j", (includes, excludes, scoped, want) => {
  expect(includeExcludeFaults({ includes, excludes }, { scoped })).toContain(want);
});

test("includeExcludeFaults() finds nothing wrong with good lists", () => {
  expect(includeExcludeFaults({ includes: ["a", "b*"], excludes: ["c"] })).toEqual([]);
  expect(includeExcludeFaults({ includes: [], excludes: ["*"] }, { scoped: true })).toEqual([]);
});
