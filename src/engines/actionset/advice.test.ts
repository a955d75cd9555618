import { expect, test } from "vitest";
import { AppError } from "../../errors.ts";
import { ApiError } from "../../kube/index.ts";
import { rightsAdvice } from "./advice.ts";

const refused = (user: string, where: string) =>
  new ApiError("create pods", {
    code: 403,
    reason: "Forbidden",
    message: `pods is forbidden: User "${user}" cannot create resource "pods" in API group "" ${where}`,
  });
const operator = "system:serviceaccount:velero:headway";

test("rightsAdvice() names the command for the namespace, also below another error", () => {
  const cause = refused(operator, 'in the namespace "shop"');
  expect(rightsAdvice(new AppError("ACTION_POD", "the pod cannot be created", { cause }))).toBe(
    "; `kubectl create rolebinding headway-actions -n shop --clusterrole=headway-actions:velero --serviceaccount=velero:headway` gives it the rights of actions there",
  );
});

test("rightsAdvice() names the flag for what belongs to no namespace", () => {
  expect(rightsAdvice(refused(operator, "at the cluster scope"))).toContain("--action-rights=cluster");
});

test("rightsAdvice() has none for other failures and other users", () => {
  expect(rightsAdvice(new Error("no"))).toBe("");
  expect(rightsAdvice(refused("alice", 'in the namespace "shop"'))).toBe("");
});
