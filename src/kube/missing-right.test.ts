import { expect, test } from "vitest";
import { ApiError } from "./api-error.ts";
import { explainRefusal, missingRight } from "./missing-right.ts";

const refused = (message: string, code = 403) =>
  new ApiError('create configmaps "shop/a"', { code, reason: "Forbidden", message });
const user = "system:serviceaccount:velero:headway-restore";

test.each([
  [
    `configmaps is forbidden: User "${user}" cannot create resource "configmaps" in API group "" in the namespace "shop"`,
    { user, verb: "create", resource: "configmaps", group: "", namespace: "shop" },
  ],
  [
    `deployments.apps "a" is forbidden: User "${user}" cannot patch resource "deployments/scale" in API group "apps" in the namespace "shop": why`,
    { user, verb: "patch", resource: "deployments/scale", group: "apps", namespace: "shop" },
  ],
  [
    `namespaces is forbidden: User "${user}" cannot create resource "namespaces" in API group "" at the cluster scope`,
    { user, verb: "create", resource: "namespaces", group: "" },
  ],
  ['admission webhook "a" denied the request: no', undefined],
])("missingRight() reads %s", (message, want) => {
  expect(missingRight(refused(message))).toEqual(want);
});

test("missingRight() knows nothing of other failures", () => {
  expect(
    missingRight(refused('User "a" cannot get resource "b" in API group "" at the cluster scope', 404)),
  ).toBe(undefined);
  expect(missingRight(new Error("no"))).toBe(undefined);
});

test("explainRefusal() adds advice once, and leaves other errors alone", () => {
  const error = refused(`User "${user}" cannot get resource "b" in API group "" at the cluster scope`);
  const advice = () => "ask somebody";
  expect(explainRefusal(explainRefusal(error, advice), advice)).toBe(error);
  expect(error.message).toMatch(/at the cluster scope; ask somebody$/);
  const other = new Error("no");
  expect(explainRefusal(other, advice)).toBe(other);
  expect(other.message).toBe("no");
});
