import { expect, test } from "vitest";
import { labelValue } from "./label-value.ts";

test.each([
  ["short", "short"],
  ["a".repeat(63), "a".repeat(63)],
  // sha256 of 64 times "a" begins with ffe054
  ["a".repeat(64), `${"a".repeat(57)}ffe054`],
])("labelValue() of %s", (name, want) => {
  expect(labelValue(name)).toBe(want);
});
