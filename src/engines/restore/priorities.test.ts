import { expect, test } from "vitest";
import { defaultPriorities, orderTypes } from "./priorities.ts";

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
