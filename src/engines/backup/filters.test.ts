import { expect, test } from "vitest";
import { crd, rbac, run, tarOf } from "../../../test/harness/backup-world.ts";

const podsA = ["pods a/web"];
const claimsA = ["persistentvolumeclaims a/data"];
const plainA = [
  "configmaps a/cm",
  "events a/e1",
  "serviceaccounts a/robot",
  "deployments.apps a/web",
  "widgets.example.com a/w1",
];
const inA = [...podsA, ...claimsA, ...plainA];
const inB = ["pods b/api", "configmaps b/cm", "deployments.apps b/api"];
const namespaces = ["namespaces a", "namespaces b", "namespaces empty"];
const rbacA = [`clusterrolebindings.${rbac} bind`, `clusterroles.${rbac} role`];
const definition = [`${crd} widgets.example.com`];
const priority = ["priorityclasses.scheduling.k8s.io high"];
const companionsA = ["persistentvolumes pv-1", ...rbacA, ...definition, ...priority];
const cluster = [
  "nodes n1",
  "persistentvolumes pv-1",
  "persistentvolumes pv-2",
  ...priority,
  `clusterrolebindings.${rbac} bind`,
  `clusterrolebindings.${rbac} other`,
  `clusterroles.${rbac} role`,
  `clusterroles.${rbac} more`,
  `${crd} widgets.example.com`,
  `${crd} gadgets.example.com`,
  "gadgets.example.com g1",
];
const everything = [...inA, ...inB, ...namespaces, ...cluster];
const without = (list: readonly string[], ...types: string[]) =>
  list.filter((item) => !types.some((t) => item.startsWith(`${t} `)));
const webLabel = { labelSelector: { matchLabels: { app: "web" } } };

const cases: [string, object, string[]][] = [
  ["no filter", {}, everything],
  ["everything by name", { includedNamespaces: ["*"] }, everything],
  ["one namespace", { includedNamespaces: ["a"] }, [...inA, "namespaces a", ...companionsA]],
  ["a namespace without companions", { includedNamespaces: ["b"] }, [...inB, "namespaces b"]],
  [
    "two namespaces",
    { includedNamespaces: ["a", "b"] },
    [...inA, ...inB, "namespaces a", "namespaces b", ...companionsA],
  ],
  ["a pattern of namespaces", { includedNamespaces: ["e*"] }, ["namespaces empty"]],
  [
    "brackets",
    { includedNamespaces: ["[ab]"] },
    [...inA, ...inB, "namespaces a", "namespaces b", ...companionsA],
  ],
  ["an excluded namespace", { excludedNamespaces: ["a"] }, [...inB, "namespaces b", "namespaces empty"]],
  ["an excluded pattern", { excludedNamespaces: ["e*", "b"] }, [...inA, "namespaces a", ...companionsA]],
  [
    "* and an excluded namespace",
    { includedNamespaces: ["*"], excludedNamespaces: ["a"] },
    [...inB, "namespaces b", "namespaces empty"],
  ],
  ["a terminating namespace", { includedNamespaces: ["going"] }, []],
  ["old: one type", { includedResources: ["configmaps"] }, ["configmaps a/cm", "configmaps b/cm"]],
  ["old: a short name", { includedResources: ["cm"] }, ["configmaps a/cm", "configmaps b/cm"]],
  [
    "old: singular and kind",
    { includedResources: ["configmap", "Pod"] },
    [...podsA, "pods b/api", "configmaps a/cm", "configmaps b/cm"],
  ],
  [
    "old: a type with its group",
    { includedResources: ["widgets.example.com"] },
    ["widgets.example.com a/w1"],
  ],
  ["old: an unknown type", { includedResources: ["unicorns"] }, []],
  [
    "old: a pattern of types",
    { includedResources: ["*.example.com"] },
    ["widgets.example.com a/w1", "gadgets.example.com g1"],
  ],
  ["old: excluded type", { excludedResources: ["configmaps"] }, without(everything, "configmaps")],
  [
    "old: excluded claims keep pods",
    { includedNamespaces: ["a"], excludedResources: ["pvc", "persistentvolumeclaims"] },
    [...without(inA, "persistentvolumeclaims"), "namespaces a", ...rbacA, ...definition, ...priority],
  ],
  [
    "old: excluded volumes",
    { includedNamespaces: ["a"], excludedResources: ["persistentvolumes"] },
    [...inA, "namespaces a", ...rbacA, ...definition, ...priority],
  ],
  [
    "old: include and namespaces",
    { includedNamespaces: ["a"], includedResources: ["pods", "persistentvolumeclaims"] },
    [...podsA, ...claimsA],
  ],
  [
    "old: pods with their claims and volumes",
    { includedNamespaces: ["a"], includedResources: ["pods", "persistentvolumeclaims", "persistentvolumes"] },
    [...podsA, ...claimsA, "persistentvolumes pv-1"],
  ],
  ["old: no cluster resources", { includeClusterResources: false }, [...inA, ...inB]],
  [
    "old: no cluster resources, one namespace",
    { includedNamespaces: ["a"], includeClusterResources: false },
    inA,
  ],
  [
    "old: all cluster resources, one namespace",
    { includedNamespaces: ["b"], includeClusterResources: true },
    [...inB, "namespaces b", ...cluster],
  ],
  [
    "old: cluster resources of one type",
    { includedNamespaces: ["b"], includeClusterResources: true, includedResources: ["nodes", "configmaps"] },
    ["configmaps b/cm", "nodes n1"],
  ],
  [
    "old: excluded definitions",
    { includedNamespaces: ["a"], excludedResources: [crd] },
    [...inA, "namespaces a", "persistentvolumes pv-1", ...rbacA, ...priority],
  ],
  [
    "scoped: one namespaced type",
    { includedNamespaceScopedResources: ["configmaps"] },
    ["configmaps a/cm", "configmaps b/cm", ...namespaces],
  ],
  [
    "scoped: namespaced type in one namespace",
    { includedNamespaces: ["a"], includedNamespaceScopedResources: ["widgets.example.com"] },
    ["widgets.example.com a/w1", "namespaces a", ...definition],
  ],
  [
    "scoped: excluded namespaced type",
    { excludedNamespaceScopedResources: ["configmaps"], includedNamespaces: ["b"] },
    ["pods b/api", "deployments.apps b/api", "namespaces b"],
  ],
  ["scoped: no namespaced types", { excludedNamespaceScopedResources: ["*"] }, namespaces],
  [
    "scoped: one cluster type",
    { includedClusterScopedResources: ["nodes"], includedNamespaces: ["b"] },
    [...inB, "namespaces b", "nodes n1"],
  ],
  [
    "scoped: all cluster types, one namespace",
    { includedClusterScopedResources: ["*"], includedNamespaces: ["b"] },
    [...inB, "namespaces b", ...cluster],
  ],
  [
    "scoped: one excluded cluster type",
    { excludedClusterScopedResources: ["nodes"] },
    [...inA, ...inB, ...namespaces, ...companionsA],
  ],
  [
    "scoped: excluded volumes are no companions",
    { includedNamespaces: ["a"], excludedClusterScopedResources: ["persistentvolumes"] },
    [...inA, "namespaces a", ...rbacA, ...definition, ...priority],
  ],
  [
    "scoped: no cluster types at all",
    { includedNamespaces: ["a"], excludedClusterScopedResources: ["*"] },
    inA,
  ],
  [
    "scoped: cluster types only",
    {
      includedClusterScopedResources: ["nodes"],
      excludedNamespaceScopedResources: ["*"],
      includedNamespaces: ["b"],
    },
    ["nodes n1", "namespaces b"],
  ],
  [
    "scoped: the wrong scope says nothing",
    { includedNamespaces: ["b"], includedClusterScopedResources: ["configmaps"] },
    [...inB, "namespaces b"],
  ],
  [
    "a label",
    webLabel,
    [
      ...podsA,
      ...claimsA,
      "configmaps a/cm",
      "deployments.apps a/web",
      "namespaces a",
      "persistentvolumes pv-1",
      "gadgets.example.com g1",
      ...priority,
    ],
  ],
  [
    "a label in one namespace",
    { ...webLabel, includedNamespaces: ["a"] },
    [
      ...podsA,
      ...claimsA,
      "configmaps a/cm",
      "deployments.apps a/web",
      "namespaces a",
      "persistentvolumes pv-1",
      ...priority,
    ],
  ],
  ["a label nobody has", { labelSelector: { matchLabels: { app: "none" } } }, []],
  [
    "a label nobody has, in a named namespace",
    { labelSelector: { matchLabels: { app: "none" } }, includedNamespaces: ["b"] },
    ["namespaces b"],
  ],
  ["a namespace by its label", { labelSelector: { matchLabels: { team: "x" } } }, ["namespaces a"]],
  [
    "one of two labels",
    {
      orLabelSelectors: [{ matchLabels: { app: "web" } }, { matchLabels: { app: "api" } }],
      includedResources: ["pods"],
    },
    [...podsA, "pods b/api"],
  ],
  [
    "the same label twice stores once",
    {
      orLabelSelectors: [{ matchLabels: { app: "api" } }, { matchLabels: { app: "api" } }],
      includedResources: ["pods"],
    },
    ["pods b/api"],
  ],
  ["a label and a type", { ...webLabel, includedResources: ["configmaps"] }, ["configmaps a/cm"]],
  [
    "ordered pods",
    { includedResources: ["pods"], orderedResources: { pods: "b/api,a/web" } },
    ["pods b/api", ...podsA],
  ],
];

test.each(cases)("the tarball holds exactly what the filters ask for: %s", async (_name, spec, want) => {
  const { entries, status, progress, json } = await run(spec);
  expect(entries.toSorted()).toEqual(tarOf(want));
  expect(status).toMatchObject({
    phase: "Completed",
    progress: { totalItems: want.length, itemsBackedUp: want.length },
  });
  const list = Object.values((await json("resourceList")) as Record<string, string[]>).flat();
  expect(list).toHaveLength(want.length);
  for (const [i, { done }] of progress.entries())
    expect(done).toBeGreaterThanOrEqual(progress[i - 1]?.done ?? 0);
});

test.each([
  ["of any scope", { includedResources: ["pods", "podz"] }, 1],
  ["by scope", { includedNamespaceScopedResources: ["podz"], includedClusterScopedResources: ["*.none"] }, 2],
  ["left out", { excludedResources: ["podz"] }, 0],
  ["that there are", { includedResources: ["cm", "Deployment", "config*", "*"] }, 0],
])("types that the cluster does not have are warnings: %s", async (_name, spec, warnings) => {
  const { status } = await run(spec);
  expect([status.phase, status.warnings ?? 0]).toEqual(["Completed", warnings]);
});

test("there are at least 40 combinations of filters", () => expect(cases.length).toBeGreaterThanOrEqual(40));
