import { expect, test } from "vitest";
import { asFolder, checkKey, checkPrefix } from "./key.ts";

test.each([["a"], ["a/b.c"], ["..a/b.."], [".../x"], ["ü".repeat(512)]])("checkKey() takes %s", (key) => {
  expect(checkKey(key)).toBe(key);
});

test.each([["\ud800"], ["x".repeat(1025)], ["a/.headway-part-x"], ["\u007f"]])(
  "checkKey() refuses %j",
  (key) => {
    expect(() => checkKey(key)).toThrow("cannot use the key");
  },
);

test("checkPrefix() takes the whole location and a folder, but no way out", () => {
  expect(checkPrefix("")).toBe("");
  expect(checkPrefix("a/")).toBe("a/");
  expect(() => checkPrefix("../")).toThrow('the part ".."');
  expect(() => checkPrefix("/")).toThrow("it is empty");
});

test.each([
  ["", ""],
  ["/", ""],
  ["/a/b/", "a/b/"],
  ["a", "a/"],
])("asFolder() makes %j %j", (given, want) => {
  expect(asFolder(given)).toBe(want);
});
