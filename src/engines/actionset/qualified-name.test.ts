import { expect, test } from "vitest";
import { keyFault, labelFault } from "./qualified-name.ts";

test.each(["app", "a.b-c_D", "kanister.io/JobID", "x".repeat(63)])("keyFault() takes %s", (key) => {
  expect(keyFault(key)).toBeUndefined();
});

test.each(["", "-a", "a b", "a/b/c", "UP.io/x", "x".repeat(64), "a/"])("keyFault() refuses %j", (key) => {
  expect(keyFault(key)).toContain("key");
});

test("labelFault() takes empty and short words, and nothing else", () => {
  expect([labelFault(""), labelFault("a.b")]).toEqual([undefined, undefined]);
  expect(labelFault("a b")).toContain("no label value");
  expect(labelFault("x".repeat(64))).toContain("no label value");
});
