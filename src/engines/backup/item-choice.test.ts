import { expect, test } from "vitest";
import { fake, rbac, run, world } from "../../../test/harness/backup-world.ts";
import { type Policies, readPolicies } from "./policies.ts";

function policiesOf(text: string): Policies {
  const found = readPolicies({ policy: `version: v1\n${text}` });
  if (typeof found === "string") throw new Error(found);
  return found;
}

/** What is stored, without the second copies of entries that name their version. */
async function stored(spec: object, text: string, source = fake()) {
  const { entries, status, json } = await run(spec, { source, policies: policiesOf(text) });
  const items = entries.flatMap((entry) => {
    const [, type, place] = /^resources\/([^/]+)\/(?:cluster|namespaces)\/(.*)\.json$/.exec(entry) ?? [];
    return type === undefined ? [] : [`${type}/${place}`];
  });
  return { items: items.toSorted(), status, json };
}

const more = {
  ...world,
  "configmaps a/app-config": { metadata: { labels: { app: "web" } } },
  "configmaps a/app-tmp": { metadata: { labels: { app: "web" } } },
  "secrets b/token": {},
};

test("in a namespace with rules only the kinds that they name come in; the others follow the spec", async () => {
  const rules = "[{kinds: [cm], names: [app-*], excludedNames: ['*-tmp']}, {kinds: [deployments.apps]}]";
  const { items, status } = await stored(
    { includedNamespaces: ["a", "b"] },
    `namespacedFilterPolicies: [{namespaces: [a], resourceFilters: ${rules}}]`,
    fake(more),
  );
  expect(items.filter((item) => item.includes("/a/"))).toEqual([
    "configmaps/a/app-config",
    "deployments.apps/a/web",
  ]);
  expect(items).toEqual(expect.arrayContaining(["configmaps/b/cm", "secrets/b/token", "pods/b/api"]));
  expect(status.progress?.totalItems).toBe(items.length);
});

test("everywhere at once likewise: what is listed for all is not taken from a namespace with rules", async () => {
  const { items, status } = await stored(
    { includedNamespaceScopedResources: ["configmaps", "pods"] },
    "namespacedFilterPolicies: [{namespaces: ['a*'], resourceFilters: [{kinds: [configmaps], names: [app-config]}]}]",
    fake(more),
  );
  expect(items.filter((item) => !item.startsWith("namespaces/"))).toEqual([
    "configmaps/a/app-config",
    "configmaps/b/cm",
    "pods/b/api",
  ]);
  expect(status).toMatchObject({ phase: "Completed" });
});

test("a rule's labels count instead of the spec's, and a rule for all kinds takes the rest", async () => {
  const { items } = await stored(
    { includedNamespaces: ["a", "b"], labelSelector: { matchLabels: { app: "api" } } },
    `namespacedFilterPolicies: [{namespaces: [a], resourceFilters: [{kinds: ["*"], labelSelector: {matchLabels: {app: web}}}, {kinds: [pods], labelSelector: {matchLabels: {app: none}}}]}]`,
  );
  expect(items.filter((item) => /\/[ab]\//.test(item))).toEqual([
    "configmaps/a/cm",
    "deployments.apps/a/web",
    "deployments.apps/b/api",
    "pods/b/api",
  ]);
});

test("what another item needs comes along unless a rule for its name is against it", async () => {
  const spec = { includedNamespaces: ["a"] };
  const pods = "namespacedFilterPolicies: [{namespaces: [a], resourceFilters: [{kinds: [Pod]}";
  const all = await stored(spec, `${pods}]}]`);
  expect(all.items).toEqual(
    expect.arrayContaining(["persistentvolumeclaims/a/data", "persistentvolumes/pv-1"]),
  );
  const none = await stored(spec, `${pods}, {kinds: [PersistentVolumeClaim], excludedNames: [data]}]}]`);
  expect(none.items).toContain("pods/a/web");
  expect(none.items.filter((item) => item.startsWith("persistent"))).toEqual([]);
  const volume = await stored(
    spec,
    `${pods}]}]\nclusterScopedFilterPolicy: {resourceFilters: [{kinds: [PersistentVolume], names: [other]}]}`,
  );
  expect(volume.items.filter((item) => item.startsWith("persistent"))).toEqual([
    "persistentvolumeclaims/a/data",
  ]);
});

test("rules for what has no namespace refine it: kinds that they do not name stay as they are", async () => {
  const { items, status } = await stored(
    { includedClusterScopedResources: ["*"], includedNamespaceScopedResources: ["configmaps"] },
    "clusterScopedFilterPolicy: {resourceFilters: [{kinds: [ClusterRole], names: ['m*']}, {kinds: [Namespace], labelSelector: {matchLabels: {team: x}}}, {kinds: [CustomResourceDefinition], excludedNames: ['widgets.*']}]}",
  );
  expect(items.filter((item) => item.startsWith("clusterroles."))).toEqual([`clusterroles.${rbac}/more`]);
  expect(items.filter((item) => item.startsWith("namespaces/"))).toEqual(["namespaces/a"]);
  expect(items.filter((item) => item.startsWith("customresourcedefinitions"))).toHaveLength(1);
  expect(items).toEqual(expect.arrayContaining(["nodes/n1", "gadgets.example.com/g1"]));
  expect(status).toMatchObject({ phase: "Completed" });
});

test("rules that have no effect are warnings, never a failed backup", async () => {
  const { status, json } = await stored(
    { includedNamespaces: ["b"], excludedNamespaceScopedResources: ["secrets"] },
    "namespacedFilterPolicies: [{namespaces: [b], resourceFilters: [{kinds: [Secret, Sprocket, Node]}]}]",
  );
  expect(status).toMatchObject({ phase: "Completed", warnings: 3 });
  expect(JSON.stringify(await json("results"))).toMatch(/Sprocket.*Node.*secrets/s);
});

test("an ordered item comes in only if its labels and the rules let it", async () => {
  const { items } = await stored(
    {
      includedNamespaces: ["a", "b"],
      orderedResources: { configmaps: "b/cm,a/app-tmp" },
      labelSelector: { matchLabels: { app: "web" } },
    },
    "namespacedFilterPolicies: [{namespaces: [a], resourceFilters: [{kinds: [cm], names: [app-config]}]}]",
    fake(more),
  );
  expect(items.filter((item) => item.startsWith("configmaps"))).toEqual(["configmaps/a/app-config"]);
});
