import { expect, test } from "vitest";
import { count, readObject, shown } from "./numbers.ts";

test.each([
  [0, 0],
  [7, 7],
  [-1, undefined],
  [1.5, undefined],
  [Number.NaN, undefined],
  [2 ** 53, undefined],
  [Number.POSITIVE_INFINITY, undefined],
  ["7", undefined],
  [null, undefined],
])("count() believes %s as %s", (value, want) => {
  expect(count(value)).toBe(want);
});

test.each([
  ['{"a":1}', { a: 1 }],
  ['{"a":', undefined],
  ["[1]", undefined],
  ["null", undefined],
  ["banner", undefined],
])("readObject() reads %s", (line, want) => {
  expect(readObject(line)).toEqual(want);
});

test("shown() leaves no escape sequence, no line break, no novel", () => {
  expect(shown("\u001b[31mERROR\u001b[0m a\n\tb\u0007")).toBe("ERROR a b");
  expect(shown("x".repeat(1000))).toHaveLength(500);
});
