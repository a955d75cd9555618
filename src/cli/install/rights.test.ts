import { expect, test } from "vitest";
import { leastRights, type Rights, rightObjects } from "./rights.ts";

function made(controllers: readonly string[], rights: Partial<Rights> = {}): string[] {
  return rightObjects("velero", controllers, { ...leastRights, ...rights }).map(
    ({ kind, metadata }) => `${kind} ${metadata.name}`,
  );
}

const accounts = [
  "ServiceAccount headway-restore",
  "Role headway-restore-accounts",
  "RoleBinding headway-restore-accounts",
];
const actions = ["ClusterRole headway-actions:velero", "RoleBinding headway-actions"];

test("rightObjects() gives nothing in the whole cluster unless it is asked for", () => {
  expect(made([])).toEqual([...accounts, ...actions]);
  expect(made([], { restore: "none" })).toEqual(actions);
  expect(made(["backup"])).toEqual([]);
});

test.each([
  [{ restore: "cluster" }, "headway-restores:velero"],
  [{ action: "cluster" }, "headway-actions:velero"],
  [{ migration: "cluster" }, "headway-migrations:velero"],
] as const)("rightObjects() binds everywhere what was asked for: %j", (rights, name) => {
  const bound = made([], rights).filter((one) => one.startsWith("ClusterRoleBinding"));
  expect(bound).toEqual([`ClusterRoleBinding ${name}`]);
  expect(made([], rights)).toContain(`ClusterRole ${name}`);
  expect(made(["backup"], rights), "not for controllers that do not run").toEqual([]);
});

test("rightObjects() lets the operator act as the named accounts, and as nobody else", () => {
  const objects = rightObjects("velero", [], { ...leastRights, restoreAccounts: ["a", "b"] });
  expect(
    objects.filter(({ kind }) => kind === "ServiceAccount").map(({ metadata }) => metadata.name),
  ).toEqual(["a", "b"]);
  expect(objects.find(({ kind }) => kind === "Role")?.["rules"]).toEqual([
    { apiGroups: [""], resources: ["serviceaccounts"], verbs: ["impersonate"], resourceNames: ["a", "b"] },
  ]);
});
