import { expect, test } from "vitest";
import { readStoredOperations } from "./item-operation.ts";

const operation = {
  spec: {
    backupName: "b",
    backupUID: "u-1",
    backupItemAction: "example.com/act",
    resourceIdentifier: { Group: "apps", Resource: "deployments", Namespace: "shop", Name: "web" },
    operationID: "op 1",
    postOperationItems: [{ Group: "", Resource: "configmaps", Namespace: "shop", Name: "c" }],
  },
  status: { phase: "InProgress", nCompleted: 3, nTotal: 10, created: "2026-01-01T00:00:00Z" },
};

test("readStoredOperations() reads what upstream writes, null for no items", () => {
  expect(readStoredOperations([operation], "f", "backup")).toEqual([operation]);
  const none = { ...operation, spec: { ...operation.spec, postOperationItems: null } };
  expect(readStoredOperations([none], "f", "backup")).toEqual([none]);
});

test("readStoredOperations() reads those of restores, which have other names", () => {
  const { resourceIdentifier, operationID } = operation.spec;
  const spec = { restoreName: "r", restoreUID: "u-2", restoreItemAction: "example.com/act" };
  const stored = { spec: { ...spec, resourceIdentifier, operationID }, status: { phase: "New" } };
  expect(readStoredOperations([stored], "f", "restore")).toEqual([stored]);
});

test.each([
  ["an action that is no plugin", { backupItemAction: "../x" }, "[0].spec.backupItemAction"],
  ["no id", { operationID: "" }, "[0].spec.operationID"],
  [
    "an item without a name",
    { resourceIdentifier: { Group: "", Resource: "pods" } },
    "resourceIdentifier.Name",
  ],
  ["items that are no list", { postOperationItems: "x" }, "[0].spec.postOperationItems"],
])("readStoredOperations() refuses %s", (_name, wrong, where) => {
  const stored = { ...operation, spec: { ...operation.spec, ...wrong } };
  const attempt = () => readStoredOperations([stored], "f", "backup");
  expect(attempt).toThrow(expect.objectContaining({ code: "STORED_INVALID" }));
  expect(attempt).toThrow(where);
});

test("readStoredOperations() refuses a phase that nobody knows, and numbers that are none", () => {
  for (const status of [{ phase: "Odd" }, { nCompleted: -1 }, { created: "yesterday" }]) {
    expect(() => readStoredOperations([{ ...operation, status }], "f", "backup")).toThrow("[0].status.");
  }
});
