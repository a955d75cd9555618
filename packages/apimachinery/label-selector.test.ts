import { expect, test } from "vitest";
import { type LabelSelector, selectorFault, selectorQuery, selects } from "./label-selector.ts";

const labels = { app: "shop", tier: "db" };
const one = (operator: string, values?: string[]): LabelSelector => ({
  matchExpressions: [{ key: "tier", operator, ...(values && { values }) }],
});

test.each([
  ["an empty selector", {}, true, ""],
  ["equal labels", { matchLabels: { app: "shop" } }, true, "app=shop"],
  ["other labels", { matchLabels: { app: "bank" } }, false, "app=bank"],
  ["In", one("In", ["db", "web"]), true, "tier in (db,web)"],
  ["NotIn", one("NotIn", ["db"]), false, "tier notin (db)"],
  ["Exists", one("Exists"), true, "tier"],
  ["DoesNotExist", one("DoesNotExist"), false, "!tier"],
  ["null lists", { matchLabels: null, matchExpressions: null }, true, ""],
  [
    "a prototype's key",
    { matchExpressions: [{ key: "constructor", operator: "Exists" }] },
    false,
    "constructor",
  ],
])("selects() and selectorQuery() of %s", (_name, selector, want, query) => {
  expect(selects(selector, labels)).toBe(want);
  expect(selectorQuery(selector)).toBe(query);
});

test.each([
  [one("In"), "needs at least one value"],
  [one("Exists", ["a"]), "takes no values"],
  [one("Near", ["a"]), "not a selector operator"],
  [{ matchLabels: { "bad key!": "x" } }, '"bad key!" cannot be the key of a label'],
  [{ matchLabels: { "": "x" } }, '"" cannot be the key of a label'],
  [{ matchLabels: { "Upper.Case/a": "x" } }, '"Upper.Case/a" cannot be the key of a label'],
  [{ matchLabels: { "a/b/c": "x" } }, '"a/b/c" cannot be the key of a label'],
  [{ matchLabels: { app: "two words" } }, '"two words" cannot be the value of label "app"'],
  [{ matchLabels: { app: "x".repeat(64) } }, "cannot be the value of label"],
  [{ matchExpressions: [{ key: "-a", operator: "Exists" }] }, '"-a" cannot be the key of a label'],
  [{ matchExpressions: [{ key: "a", operator: "In", values: ["b", "c,d"] }] }, '"c,d" cannot be the value'],
])("selectorFault() names what is wrong", (selector, want) => {
  expect(selectorFault(selector)).toContain(want);
});

test("selectorFault() of a good selector is undefined", () => {
  expect(
    selectorFault({
      matchLabels: { a: "b" },
      matchExpressions: [{ key: "c", operator: "In", values: ["d"] }],
    }),
  ).toBeUndefined();
});
