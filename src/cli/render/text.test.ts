import { expect, test } from "vitest";
import { clean, fit, fitMiddle, fitName, paint, width, wrap } from "./text.ts";

test("paint() colours only when asked to", () => {
  expect(paint("x", "red", true)).toBe("\x1b[31mx\x1b[0m");
  expect(paint("x", "red", false)).toBe("x");
});

test("clean() takes escapes, newlines and direction marks out", () => {
  expect(clean("a\x1b[2Jb\nc\u202ed")).toBe("a [2Jb c d");
});

test.each([
  ["abc", 3],
  ["日本", 4],
  ["e\u0301", 1],
])("width(%j) is %d", (text, want) => {
  expect(width(text)).toBe(want);
});

test.each([
  ["abc", 5, true, "abc  "],
  ["abc", 5, false, "abc"],
  ["abcdef", 4, true, "abc…"],
  ["日本語", 4, true, "日… "],
  ["abc", 0, true, ""],
])("fit(%j, %d, %j) is %j", (text, columns, padded, want) => {
  expect(fit(text, columns, padded)).toBe(want);
});

test.each([
  ["short", 12, "short       "],
  ["headway-shop/database: data", 20, "headway-shop/…: data"],
  ["日本日本日本日本日本", 12, "日本日… 日本"],
])("fitMiddle(%s, %d)", (text, columns, want) => {
  const got = fitMiddle(text, columns);
  expect(width(got)).toBe(columns);
  expect(got.replaceAll(" ", "")).toBe(want.replaceAll(" ", ""));
});

test("wrap() breaks between words, keeps the indent, and cuts what is too long", () => {
  expect(wrap("  one two three", 9)).toEqual(["  one two", "  three"]);
  expect(wrap("abcdefghij", 5)).toEqual(["abcd…"]);
});

test.each([
  ["shop/db-0: data", 20, "shop/db-0: data     "],
  ["headway-shop/database-94w7x: data", 20, "database-94w7x: data"],
  ["headway-shop/database-94w7x: data", 16, "database-9… data"],
  ["Backup of a / b", 12, "Backup … / b"],
])("fitName(%s) in %d columns keeps the workload", (text, columns, want) => {
  expect(fitName(text, columns)).toBe(want);
});
