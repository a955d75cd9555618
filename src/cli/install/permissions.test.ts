import { expect, test } from "vitest";
import { controllerNames } from "../../operator/index.ts";
import { controllerPermissions, merged, operatorPermissions } from "./permissions.ts";

test("every controller of the operator has its permissions here, and nobody else", () => {
  expect(Object.keys(controllerPermissions).toSorted()).toEqual(controllerNames.toSorted());
});

test("an operator gets what its controllers need, and no more", () => {
  const watching = operatorPermissions(["server-status"]);
  expect(watching.cluster.some(({ apiGroups }) => apiGroups.includes("*"))).toBe(false);
  expect(JSON.stringify(watching)).not.toContain("secrets");
  const backing = operatorPermissions(["backup"]);
  expect(backing.cluster).toContainEqual({ apiGroups: ["*"], resources: ["*"], verbs: ["get", "list"] });
  expect(JSON.stringify(backing)).not.toContain("escalate");
});

test("an operator may write nothing that it backs up but the snapshots that it takes, whatever its controllers", () => {
  const writes = new Set([
    "create",
    "update",
    "patch",
    "delete",
    "deletecollection",
    "bind",
    "escalate",
    "impersonate",
    "*",
  ]);
  const wide = operatorPermissions().cluster.filter(({ verbs }) => verbs.some((verb) => writes.has(verb)));
  expect(wide).toEqual([
    { apiGroups: [""], resources: ["events"], verbs: ["create", "patch"] },
    { apiGroups: [""], resources: ["pods/exec"], verbs: ["create"] },
    { apiGroups: ["authentication.k8s.io"], resources: ["tokenreviews"], verbs: ["create"] },
    {
      apiGroups: ["authorization.k8s.io"],
      resources: ["selfsubjectaccessreviews", "subjectaccessreviews"],
      verbs: ["create"],
    },
    { apiGroups: ["headway.dev"], resources: ["operations"], verbs: ["create", "delete", "patch", "watch"] },
    {
      apiGroups: ["snapshot.storage.k8s.io"],
      resources: ["volumesnapshotcontents", "volumesnapshots"],
      verbs: ["create", "delete", "patch"],
    },
  ]);
});

test("merged() joins rules and leaves out what a wider one gives", () => {
  const rule = (group: string, resource: string, ...verbs: string[]) => ({
    apiGroups: [group],
    resources: [resource],
    verbs,
  });
  expect(
    merged([
      rule("a", "x", "get"),
      rule("a", "x", "list"),
      rule("a", "y", "list", "get"),
      rule("b", "z", "delete", "get"),
    ]),
  ).toEqual([
    { apiGroups: ["a"], resources: ["x", "y"], verbs: ["get", "list"] },
    { apiGroups: ["b"], resources: ["z"], verbs: ["delete", "get"] },
  ]);
  expect(merged([rule("*", "*", "get"), rule("a", "x", "get"), rule("a", "y", "get", "patch")])).toEqual([
    { apiGroups: ["*"], resources: ["*"], verbs: ["get"] },
    { apiGroups: ["a"], resources: ["y"], verbs: ["patch"] },
  ]);
});
