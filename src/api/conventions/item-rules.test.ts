import { expect, test } from "vitest";
import { parse } from "yaml";
import { itemFits, nameFits, Rulebook, readItemRules } from "./item-rules.ts";

const namespaced = (rules: string) =>
  readItemRules(parse(`namespacedFilterPolicies: [{namespaces: [shop], resourceFilters: [${rules}]}]`));
const types: Record<string, boolean> = {
  ConfigMap: true,
  configmaps: true,
  Secret: true,
  Pod: true,
  ClusterRole: false,
};
const resolve = (word: string) => {
  const scoped = types[word];
  const name = word.toLowerCase();
  return scoped === undefined
    ? undefined
    : { groupResource: name.endsWith("s") ? name : `${name}s`, namespaced: scoped };
};
const bookOf = (text: string) => {
  const rules = readItemRules(parse(text));
  if (!rules) throw new Error("no rules");
  return new Rulebook(rules, resolve);
};

test("readItemRules() has nothing to say about a policy without such sections", () => {
  expect(readItemRules({ version: "v1", namespacedFilterPolicies: null })).toBeUndefined();
});

test.each([
  ["no namespace", "namespacedFilterPolicies: [{resourceFilters: [{}]}]", "[0] names no namespace"],
  ["no filter", "namespacedFilterPolicies: [{namespaces: [a]}]", "[0] has no resourceFilters"],
  [
    "one namespace twice",
    "namespacedFilterPolicies: [{namespaces: [a], resourceFilters: [{}]}, {namespaces: [a], resourceFilters: [{}]}]",
    'namespacedFilterPolicies[1]: "a" is in namespacedFilterPolicies[0] already',
  ],
  [
    "a name that no namespace has",
    'namespacedFilterPolicies: [{namespaces: ["a|b"], resourceFilters: [{}]}]',
    '"a|b" cannot be the name of a namespace',
  ],
  [
    "an empty cluster policy",
    "clusterScopedFilterPolicy: {}",
    "clusterScopedFilterPolicy has no resourceFilters",
  ],
  [
    "all kinds of the cluster",
    'clusterScopedFilterPolicy: {resourceFilters: [{kinds: ["*"]}]}',
    "clusterScopedFilterPolicy.resourceFilters[0] names no kinds",
  ],
  ["no list", "namespacedFilterPolicies: {}", "namespacedFilterPolicies is no list"],
  [
    "an unknown key",
    "clusterScopedFilterPolicy: {filters: []}",
    '"filters" of clusterScopedFilterPolicy is not known',
  ],
])("readItemRules() refuses %s", (_name, text, want) => {
  expect(() => readItemRules(parse(text))).toThrow(want);
});

test.each([
  [
    "a kind in two filters",
    "{kinds: [Pod]}, {kinds: [Pod]}",
    'the kind "Pod" is in resourceFilters[0] and [1]',
  ],
  ["two filters for all kinds", '{}, {kinds: ["*"]}', "has two resourceFilters for all kinds"],
  ["names for all kinds", "{names: [a]}", "has names in the resourceFilters for all kinds"],
  [
    "both forms of selectors",
    "{kinds: [Pod], labelSelector: {matchLabels: {a: b}}, orLabelSelectors: [{matchLabels: {c: d}}]}",
    "labelSelector and orLabelSelectors cannot be used together",
  ],
  ["labels without matchLabels", "{kinds: [Pod], labelSelector: {app: web}}", '"app" of'],
  [
    "an operator that is none",
    "{kinds: [Pod], labelSelector: {matchExpressions: [{key: a, operator: Like}]}}",
    '"Like" is not a selector operator',
  ],
  [
    "a key that is none",
    '{kinds: [Pod], orLabelSelectors: [{matchLabels: {"a b!": c}}]}',
    "orLabelSelectors[0]",
  ],
  ["a pattern that is none", '{kinds: [Pod], names: ["a["]}', '"a[" is not a pattern'],
  ["an unknown key", "{kinds: [Pod], name: a}", '"name" of namespacedFilterPolicies[0].resourceFilters[0]'],
])("readItemRules() refuses a filter with %s", (_name, rules, want) => {
  expect(() => namespaced(rules)).toThrow(want);
});

test("itemFits() wants a name, no excluded name, and one of the selectors; nameFits() no labels", () => {
  const rule = namespaced(
    '{kinds: [Pod], names: ["app-*"], excludedNames: ["*-tmp"], orLabelSelectors: [{}, {matchLabels: {a: "1"}}, {matchExpressions: [{key: b, operator: In, values: ["2"]}]}]}',
  )?.namespaced[0]?.rules[0];
  if (!rule) throw new Error("no rule");
  expect(itemFits(rule, { name: "app-x", labels: { a: "1" } })).toBe(true);
  expect(itemFits(rule, { name: "app-x", labels: { b: "2" } })).toBe(true);
  expect(itemFits(rule, { name: "app-x" }), "a selector that asks for nothing is none").toBe(false);
  expect(itemFits(rule, { name: "web", labels: { a: "1" } })).toBe(false);
  expect(itemFits(rule, { name: "app-tmp", labels: { a: "1" } }), "exclusion wins").toBe(false);
  expect(nameFits(rule, "app-x")).toBe(true);
  expect(nameFits(rule, "app-tmp")).toBe(false);
});

test("a Rulebook takes a namespace's own name before patterns, and patterns in their order", () => {
  const book = bookOf(`
namespacedFilterPolicies:
- {namespaces: ["team-*"], resourceFilters: [{kinds: [Pod]}]}
- {namespaces: ["team-web-*"], resourceFilters: [{kinds: [Secret]}]}
- {namespaces: [team-web-prod], resourceFilters: [{kinds: [ConfigMap], names: [a]}, {kinds: ["*"]}]}`);
  expect(book.ruleFor("pods", "team-web-dev")).toMatchObject({ kinds: ["Pod"] });
  expect(book.ruleFor("secrets", "team-web-dev"), "an allow-list").toBe("none");
  expect(book.ruleFor("configmaps", "team-web-prod")).toMatchObject({ names: ["a"] });
  expect(book.ruleFor("pods", "team-web-prod"), "for all others").toMatchObject({ kinds: [] });
  expect(book.ruleFor("pods", "other")).toBeUndefined();
  expect(book.ruleFor("nodes", undefined)).toBeUndefined();
  expect([book.rules("team-x"), book.rules("other")]).toEqual([true, false]);
});

test("a Rulebook tells kinds that have no effect, and uses the others", () => {
  const book = bookOf(`
clusterScopedFilterPolicy: {resourceFilters: [{kinds: [ClusterRole, Pod], names: [a]}]}
namespacedFilterPolicies:
- {namespaces: [shop], resourceFilters: [{kinds: [ConfigMap, Sprocket, ClusterRole]}, {kinds: [configmaps]}]}`);
  expect(book.ruleFor("clusterroles", undefined)).toMatchObject({ names: ["a"] });
  expect(book.ruleFor("configmaps", "shop")).toMatchObject({
    kinds: ["ConfigMap", "Sprocket", "ClusterRole"],
  });
  expect(Object.fromEntries(book.idle.map(({ kind, reason }) => [kind, reason]))).toEqual({
    Pod: expect.stringContaining("it belongs to namespaces"),
    Sprocket: "no type of this name is served",
    ClusterRole: expect.stringContaining("it belongs to no namespace"),
    configmaps: "an earlier rule is about the same type",
  });
  expect([...book.types()]).toEqual(["clusterroles", "configmaps"]);
});
