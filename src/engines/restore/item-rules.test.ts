import { expect, test } from "vitest";
import { restoreRules } from "./item-rules.ts";

test("restoreRules() reads the rules of a policy, and none where it has none", () => {
  const text = "version: v1\nclusterScopedFilterPolicy: {resourceFilters: [{kinds: [Node], names: [a]}]}";
  expect(restoreRules(text)).toMatchObject({ rules: { cluster: [{ kinds: ["Node"] }], namespaced: [] } });
  expect(restoreRules("version: v1")).toEqual({});
});

test.each([
  ["volumePolicies: []", '"volumePolicies" is for backups only'],
  ["includeExcludePolicy: {}", '"includeExcludePolicy" is for backups only'],
  ["odd: 1", '"odd" of the policy is not known'],
  ["namespacedFilterPolicies: [{}]", "names no namespace"],
])("restoreRules() refuses %s", (line, want) => {
  expect(restoreRules(`version: v1\n${line}`)).toContain(want);
});

test.each([
  ["[]", "no mapping"],
  ["version: v2", 'version must be "v1"'],
  ["a: [", ""],
])("restoreRules() refuses the text %s", (text, want) => {
  const found = restoreRules(text);
  expect(typeof found).toBe("string");
  expect(found).toContain(want);
});
