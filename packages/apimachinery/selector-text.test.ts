import { expect, test } from "vitest";
import { selects } from "./label-selector.ts";
import { parseSelector } from "./selector-text.ts";

test.each([
  ["a=b", { a: "b" }, { a: "c" }],
  ["a==b,c", { a: "b", c: "" }, { a: "b" }],
  ["a!=b", {}, { a: "b" }],
  ["a in (b, c)", { a: "c" }, { a: "d" }],
  ["a notin (b,c),!d", { a: "e" }, { a: "e", d: "1" }],
  ["kubevirt.io in (virt-launcher, hotplug-disk)", { "kubevirt.io": "virt-launcher" }, {}],
])("parseSelector() of %s", (text, yes, no) => {
  const selector = parseSelector(text) ?? {};
  expect([selects(selector, yes), selects(selector, no)]).toEqual([true, false]);
});

test.each(["a=b=c", "a in b", "", "a b"])("parseSelector() refuses %s", (text) => {
  expect(parseSelector(text)).toBeUndefined();
});
