import { expect, test } from "vitest";
import { defaultPriorities, orderTypes, parsePriorities, resolvedPriorities } from "./priorities.ts";

test("orderTypes() has the high ones first, the rest by name, the low ones last", () => {
  const all = [...defaultPriorities.low, "zebras.example.com", "deployments.apps", ...defaultPriorities.high];
  expect(orderTypes(all.toReversed())).toEqual([
    ...defaultPriorities.high,
    "deployments.apps",
    "zebras.example.com",
    ...defaultPriorities.low,
  ]);
});

test("orderTypes() has volumes before claims before pods before services", () => {
  const types = ["services", "pods", "persistentvolumeclaims", "persistentvolumes"];
  expect(orderTypes(types)).toEqual(types.toReversed());
});

test.each([
  ["a,b", { high: ["a", "b"], low: [] }],
  [" a , - , b ", { high: ["a"], low: ["b"] }],
  ["-,b", { high: [], low: ["b"] }],
  ["a,-", { high: ["a"], low: [] }],
  ["", { high: [], low: [] }],
  ["pods,deployments.apps", { high: ["pods", "deployments.apps"], low: [] }],
  ["a,-,b,-,c", 'there is more than one "-"'],
  ["a b", '"a b" cannot be the name of a type'],
])("parsePriorities(%j)", (text, want) => expect(parsePriorities(text)).toEqual(want));

test("resolvedPriorities() names types as archives do", () => {
  const known: Record<string, string> = { deploy: "deployments.apps" };
  expect(resolvedPriorities({ high: ["deploy"], low: ["odd"] }, (word) => known[word])).toEqual({
    high: ["deployments.apps"],
    low: ["odd"],
  });
});
