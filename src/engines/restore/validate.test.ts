import { expect, test } from "vitest";
import { completeExcludes, specFaults } from "./validate.ts";

test.each([
  ["a backup", { backupName: "b" }],
  ["a schedule", { scheduleName: "s" }],
  [
    "patterns and selectors",
    { backupName: "b", includedNamespaces: ["a*"], labelSelector: { matchLabels: { a: "b" } } },
  ],
  ["an update policy", { backupName: "b", existingResourcePolicy: "update" }],
  [
    "what an earlier operator had completed",
    { backupName: "b", excludedResources: completeExcludes({}), includedNamespaces: ["*"] },
  ],
  [
    "nulls",
    {
      backupName: "b",
      includedResources: null,
      labelSelector: null,
      orLabelSelectors: null,
      restoreStatus: null,
    },
  ],
])("specFaults() finds nothing wrong with %s", (_title, spec) => {
  expect(specFaults(spec)).toEqual([]);
});

test.each([
  ["no source", {}, "neither a backup nor a schedule"],
  [
    "a type that is never restored",
    { backupName: "b", includedResources: ["nodes"] },
    '"nodes" cannot be restored',
  ],
  [
    "a type in and out",
    { backupName: "b", includedResources: ["pods"], excludedResources: ["pods"] },
    "both included and excluded",
  ],
  ["all namespaces out", { backupName: "b", excludedNamespaces: ["*"] }, "cannot be excluded"],
  [
    "both kinds of selector",
    { backupName: "b", labelSelector: {}, orLabelSelectors: [{}] },
    "cannot be used together",
  ],
  [
    "a broken selector",
    { backupName: "b", labelSelector: { matchExpressions: [{ key: "a", operator: "Like" }] } },
    "Like",
  ],
  ["an unknown policy", { backupName: "b", existingResourcePolicy: "replace" }, "neither none nor update"],
  [
    "two namespaces that become one",
    { backupName: "b", namespaceMapping: { a: "x", b: "x", c: "y" } },
    'namespaces "a", "b" are all mapped to "x"',
  ],
  [
    "a modifier that is no ConfigMap",
    { backupName: "b", resourceModifier: { kind: "Secret", name: "s" } },
    "must name a ConfigMap",
  ],
  [
    "an init container without its image",
    {
      backupName: "b",
      hooks: {
        resources: [
          { name: "h", postHooks: [{ init: { initContainers: [{ name: "c", command: ["x"] }] } }] },
        ],
      },
    },
    'hook "h": an init container has no image',
  ],
] as [string, Parameters<typeof specFaults>[0], string][])("specFaults() names %s", (_title, spec, want) => {
  const faults = specFaults(spec);
  expect(faults).toHaveLength(1);
  expect(faults[0]).toContain(want);
});

test("completeExcludes() adds each type once", () => {
  const excludes = completeExcludes({ excludedResources: ["secrets", "nodes"] });
  expect(excludes.slice(0, 3)).toEqual(["secrets", "nodes", "events"]);
  expect(new Set(excludes).size).toBe(excludes.length);
});
