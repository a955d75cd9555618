import { expect, test } from "vitest";
import { isGlob, isLegalGlob, matchesGlob } from "./glob.ts";

test.each([
  ["*", "anything", true],
  ["*", "", true],
  ["shop-*", "shop-1", true],
  ["shop-*", "shop", false],
  ["*.apps", "deployments.apps", true],
  ["a?c", "abc", true],
  ["a?c", "ac", false],
  ["ns-[0-4]", "ns-3", true],
  ["ns-[0-4]", "ns-7", false],
  ["ns-[!0-4]", "ns-7", true],
  ["ns-[ab]x", "ns-bx", true],
  ["a*b*c", "a1b2b3c", true],
  ["a*b*c", "a1b2b3", false],
  ["plain", "plain", true],
  ["pl.in", "plain", false],
  ["[", "[", true],
])("matchesGlob(%j, %j) is %j", (pattern, name, want) => {
  expect(matchesGlob(pattern, name)).toBe(want);
});

test.each([
  ["a[", false],
  ["a[]", false],
  ["a[!]", false],
  ["a[b]*?", true],
  ["plain", true],
])("isLegalGlob(%j) is %j", (pattern, want) => {
  expect(isLegalGlob(pattern)).toBe(want);
});

test("isGlob() tells patterns from names", () => {
  expect([isGlob("a*"), isGlob("a?"), isGlob("a[b]"), isGlob("a.b")]).toEqual([true, true, true, false]);
});

test("a hostile pattern ends", () => {
  expect(matchesGlob("a*".repeat(200) + "b", "a".repeat(2000))).toBe(false);
});
