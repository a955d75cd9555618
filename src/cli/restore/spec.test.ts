import { expect, test } from "vitest";
import type { Input } from "../command.ts";
import { metadataOf, nameFrom, restoreSpecOf } from "./spec.ts";

const input = (flags: Input["flags"]): Input => ({ args: [], flags });

test("restoreSpecOf() maps every flag to its field", () => {
  const spec = restoreSpecOf(
    input({
      "from-backup": "b",
      "include-namespaces": ["a"],
      "exclude-namespaces": ["x"],
      "include-resources": ["pods"],
      "exclude-resources": ["secrets"],
      "namespace-mappings": ["a:b", "c:d"],
      selector: "app=web",
      "include-cluster-resources": "false",
      "restore-volumes": "true",
      "preserve-nodeports": "true",
      "existing-resource-policy": "update",
      "status-include-resources": ["jobs"],
      "item-operation-timeout": "1h",
      "resource-policies-configmap": "p",
      "resource-modifier-configmap": "m",
      "write-sparse-files": "true",
      "parallel-files-download": "4",
    }),
  );
  expect(spec).toEqual({
    backupName: "b",
    includedNamespaces: ["a"],
    excludedNamespaces: ["x"],
    includedResources: ["pods"],
    excludedResources: ["secrets"],
    namespaceMapping: { a: "b", c: "d" },
    labelSelector: { matchLabels: { app: "web" } },
    includeClusterResources: false,
    restorePVs: true,
    preserveNodePorts: true,
    existingResourcePolicy: "update",
    restoreStatus: { includedResources: ["jobs"] },
    itemOperationTimeout: "1h",
    resourcePolicy: { kind: "configmap", name: "p" },
    resourceModifier: { kind: "configmap", name: "m" },
    uploaderConfig: { writeSparseFiles: true, parallelFilesDownload: 4 },
  });
});

test("restoreSpecOf() leaves out what no flag says", () => {
  expect(restoreSpecOf(input({ "from-schedule": "s" }))).toEqual({ scheduleName: "s" });
});

test.each([
  ["no source", {}],
  ["two sources", { "from-backup": "b", "from-schedule": "s" }],
  ["half a mapping", { "from-backup": "b", "namespace-mappings": ["a"] }],
  ["a mapping to nothing", { "from-backup": "b", "namespace-mappings": ["a:"] }],
  ["a namespace that is mapped twice", { "from-backup": "b", "namespace-mappings": ["a:b", "a:c"] }],
  ["no duration", { "from-backup": "b", "item-operation-timeout": "5x" }],
  ["no number", { "from-backup": "b", "parallel-files-download": "many" }],
])("restoreSpecOf() refuses %s", (_title, flags) => {
  expect(() => restoreSpecOf(input(flags))).toThrow(expect.objectContaining({ code: "USAGE" }));
});

test("metadataOf() has only what was given", () => {
  expect(metadataOf(input({ labels: ["a=1"] }))).toEqual({ labels: { a: "1" } });
});

test("nameFrom() is the source and the moment", () => {
  expect(nameFrom("nightly", Date.UTC(2026, 10, 15, 9, 8, 7))).toBe("nightly-20261115090807");
});
