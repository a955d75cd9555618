import { expect, test } from "vitest";
import { type ItemRules, parseArchiveEntry } from "../../api/index.ts";
import { filtersOf } from "./choice.ts";
import { restoreRules } from "./item-rules.ts";

const known: Record<string, string> = {
  deploy: "deployments.apps",
  cm: "configmaps",
  configmaps: "configmaps",
  namespaces: "namespaces",
  persistentvolumes: "persistentvolumes",
};
const files = {
  configMap: "resources/configmaps/namespaces/shop/settings.json",
  other: "resources/configmaps/namespaces/other/settings.json",
  deployment: "resources/deployments.apps/namespaces/shop/web.json",
  role: "resources/clusterroles.rbac.authorization.k8s.io/cluster/admin.json",
  shop: "resources/namespaces/cluster/shop.json",
  node: "resources/nodes/cluster/n1.json",
  widget: "resources/widgets.example.com/namespaces/shop/w.json",
  upload: "resources/datauploads.velero.io/namespaces/other/du.json",
} as const;
type File = keyof typeof files;

function judged(
  spec: object,
  labels: Record<string, string> = {},
  rules?: ItemRules,
): { kept: File[]; selected: File[] } {
  const filters = filtersOf(spec, (word) => known[word], rules);
  const kept: File[] = [];
  const selected: File[] = [];
  for (const [file, path] of Object.entries(files) as [File, string][]) {
    const entry = parseArchiveEntry(path);
    if (entry === undefined || !filters.keeps(entry)) continue;
    kept.push(file);
    const item = { apiVersion: "v1", kind: "X", metadata: { name: entry.name, labels } };
    if (filters.selects(entry, item)) selected.push(file);
  }
  return { kept, selected };
}

test.each([
  [
    "nothing asked for: all but what is never restored",
    {},
    ["configMap", "other", "deployment", "role", "shop", "widget", "upload"],
  ],
  [
    "a namespace: without cluster-scoped items",
    { includedNamespaces: ["shop"] },
    ["configMap", "deployment", "shop", "widget", "upload"],
  ],
  [
    "a namespace by pattern",
    { includedNamespaces: ["sh*"] },
    ["configMap", "deployment", "shop", "widget", "upload"],
  ],
  [
    "a namespace with cluster-scoped items",
    { includedNamespaces: ["shop"], includeClusterResources: true },
    ["configMap", "deployment", "role", "shop", "widget", "upload"],
  ],
  [
    "no cluster-scoped items",
    { includeClusterResources: false },
    ["configMap", "other", "deployment", "widget", "upload"],
  ],
  ["an excluded namespace", { excludedNamespaces: ["shop"] }, ["other", "upload"]],
  ["a type by its short name", { includedResources: ["cm"] }, ["configMap", "other", "upload"]],
  [
    "an excluded type",
    { excludedResources: ["deploy", "widgets"] },
    ["configMap", "other", "role", "shop", "upload"],
  ],
  ["a type that only the backup knows", { includedResources: ["widgets"] }, ["widget", "upload"]],
  ["a type that nobody knows is not everything", { includedResources: ["nonsense"] }, ["upload"]],
] as [string, object, File[]][])("filtersOf(): %s", (_title, spec, want) => {
  expect(judged(spec).selected).toEqual(want);
});

test.each([
  [{ labelSelector: { matchLabels: { app: "a" } } }, { app: "a" }, true],
  [{ labelSelector: { matchLabels: { app: "a" } } }, { app: "b" }, false],
  [{ orLabelSelectors: [{ matchLabels: { app: "a" } }, { matchLabels: { app: "b" } }] }, { app: "b" }, true],
  [{ orLabelSelectors: [{ matchLabels: { app: "a" } }] }, {}, false],
])("filtersOf() with %j for labels %j", (spec, labels, want) => {
  const { kept, selected } = judged(spec, labels);
  expect(selected.includes("configMap")).toBe(want);
  expect(kept, "what others may ask for is kept").toContain("configMap");
  expect(selected, "must-have types need no label").toContain("upload");
});

test("filtersOf() keeps Namespace objects for their items, whatever the types", () => {
  const { kept, selected } = judged({ includedResources: ["cm"] });
  expect(kept).toContain("shop");
  expect(selected).not.toContain("shop");
});

test("filtersOf() admits what others ask for by type and namespace, and maps namespaces", () => {
  const filters = filtersOf(
    { includedNamespaces: ["shop"], namespaceMapping: { shop: "copy" } },
    (word) => known[word],
  );
  expect(filters.admits("persistentvolumes", "", "v")).toBe(true);
  expect(filters.admits("nodes", "", "n")).toBe(false);
  expect(filters.admits("configmaps", "other", "c")).toBe(false);
  expect([filters.target("shop"), filters.target("other")]).toEqual(["copy", "other"]);
  expect(
    filtersOf({ includeClusterResources: false }, () => undefined).admits("persistentvolumes", "", "v"),
  ).toBe(false);
});

function rulesOf(text: string): ItemRules {
  const found = restoreRules(`version: v1\n${text}`);
  if (typeof found === "string" || !found.rules) throw new Error(`no rules: ${JSON.stringify(found)}`);
  return found.rules;
}

test("rules of a policy choose single items, after the filters of the restore", () => {
  const rules = rulesOf(`
namespacedFilterPolicies: [{namespaces: [shop], resourceFilters: [{kinds: [cm], labelSelector: {matchLabels: {a: b}}}, {kinds: [widgets.example.com], names: [x]}]}]
clusterScopedFilterPolicy: {resourceFilters: [{kinds: [namespaces], excludedNames: [shop]}]}`);
  const all = judged({}, { a: "b" }, rules);
  expect(all.selected).toEqual(["configMap", "other", "role", "upload"]);
  expect(all.kept, "an item of a kind that is not named may be asked for").toContain("deployment");
  expect(all.kept, "one whose name is refused may not").not.toContain("widget");
  expect(judged({}, {}, rules).selected).toEqual(["other", "role", "upload"]);
  expect(judged({ excludedResources: ["cm"] }, { a: "b" }, rules).selected).toEqual(["role", "upload"]);
});

test("kinds of a policy that mean nothing are told", () => {
  const rules = rulesOf("clusterScopedFilterPolicy: {resourceFilters: [{kinds: [Sprocket, a.example.com]}]}");
  expect(filtersOf({}, (word) => known[word], rules).idle).toEqual([
    { kind: "Sprocket", reason: "no type of this name is served" },
  ]);
});
