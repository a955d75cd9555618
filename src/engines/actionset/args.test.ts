import { expect, test } from "vitest";
import { Args } from "./args.ts";

const args = new Args("F", {
  text: "x",
  number: 3,
  empty: "",
  none: null,
  list: ["a", 1],
  words: "p1  p2 p3",
  yes: "true",
  off: 0,
  map: { a: 1, b: "x" },
  deep: { a: {} },
  time: "1m30s",
});

test("Args reads as weakly as upstream", () => {
  expect(args.text("number")).toBe("3");
  expect(args.text("empty", "other")).toBe("other");
  expect(args.has("empty")).toBe(true);
  expect(args.has("toString")).toBe(false);
  expect(args.text("none")).toBe("");
  expect(args.texts("text")).toEqual(["x"]);
  expect(args.texts("list")).toEqual(["a", "1"]);
  expect(args.words("words")).toEqual(["p1", "p2", "p3"]);
  expect([args.flag("yes", false), args.flag("off", true), args.flag("absent", true)]).toEqual([
    true,
    false,
    true,
  ]);
  expect(args.textMap("map")).toEqual({ a: "1", b: "x" });
  expect(args.durationMs("time")).toBe(90_000);
  expect(new Args("F", { replicas: "2147483647" }).count("replicas")).toBe(2_147_483_647);
});

test.each<[string, () => unknown]>([
  ["a list for a text", () => args.text("list")],
  ["an empty text that is needed", () => args.need("empty")],
  ["a word for a flag", () => args.flag("text", true)],
  ["a text for an object", () => args.record("text")],
  ["an object in a map of texts", () => args.textMap("deep")],
  ["too many replicas", () => new Args("F", { n: "2147483648" }).count("n")],
  ["a negative count", () => new Args("F", { n: -1 }).count("n")],
  ["a duration without unit", () => new Args("F", { t: "5" }).durationMs("t")],
])("Args refuses %s", (_what, read) => {
  expect(read).toThrow(expect.objectContaining({ code: "ACTION_ARGUMENTS" }));
});
