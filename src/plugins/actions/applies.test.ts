import { expect, test } from "vitest";
import { appliesOf } from "./applies.ts";
import type { ActionSelector } from "./contract.ts";

const known: Readonly<Record<string, string>> = {
  Deployment: "deployments.apps",
  pvc: "persistentvolumeclaims",
  pods: "pods",
};
const item = { groupResource: "pods", namespace: "shop", labels: { app: "web" } };

test.each<[string, ActionSelector, Partial<typeof item>, boolean]>([
  ["nothing said", {}, {}, true],
  ["a type by its kind", { includedResources: ["Deployment"] }, { groupResource: "deployments.apps" }, true],
  ["another type", { includedResources: ["pvc"] }, {}, false],
  [
    "a word that nobody knows is itself",
    { includedResources: ["gadgets.example.com"] },
    { groupResource: "gadgets.example.com" },
    true,
  ],
  ["an excluded type", { excludedResources: ["pods"] }, {}, false],
  ["every type", { includedResources: ["*"] }, {}, true],
  ["a namespace by a pattern", { includedNamespaces: ["sh*"] }, {}, true],
  ["another namespace", { includedNamespaces: ["a"] }, {}, false],
  ["an excluded namespace", { excludedNamespaces: ["shop"] }, {}, false],
  ["no namespace, where some are named", { includedNamespaces: ["sh*"] }, { namespace: "" }, false],
  ["no namespace, where some are excluded", { excludedNamespaces: ["x"] }, { namespace: "" }, false],
  ["no namespace, where all are meant", { includedNamespaces: ["*"] }, { namespace: "" }, true],
  ["labels", { labelSelector: "app in (web, db),!old" }, {}, true],
  ["other labels", { labelSelector: "app=db" }, {}, false],
])("appliesOf(): %s", (_name, selector, changes, want) => {
  const applies = appliesOf(selector, (word) => known[word]);
  expect(applies.item({ ...item, ...changes })).toBe(want);
});

test.each(["a b", "=", "a in b"])("appliesOf() refuses the label selector %s", (labelSelector) => {
  expect(() => appliesOf({ labelSelector }, () => undefined)).toThrow(
    `its label selector is "${labelSelector}"`,
  );
});
