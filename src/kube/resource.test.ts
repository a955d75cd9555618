import { expect, test } from "vitest";
import { apiVersionOf, pathOf, type Resource, type Target, titleOf } from "./resource.ts";

const pods: Resource = { group: "", version: "v1", plural: "pods", kind: "Pod", namespaced: true };
const backups: Resource = {
  group: "velero.io",
  version: "v1",
  plural: "backups",
  kind: "Backup",
  namespaced: true,
};
const nodes: Resource = { group: "", version: "v1", plural: "nodes", kind: "Node", namespaced: false };

test.each<[Resource, Target, string]>([
  [pods, {}, "/api/v1/pods"],
  [pods, { namespace: "" }, "/api/v1/pods"],
  [pods, { namespace: "a" }, "/api/v1/namespaces/a/pods"],
  [pods, { namespace: "a", name: "b", subresource: "log" }, "/api/v1/namespaces/a/pods/b/log"],
  [backups, { namespace: "a", name: "b" }, "/apis/velero.io/v1/namespaces/a/backups/b"],
  [nodes, { namespace: "ignored", name: "n" }, "/api/v1/nodes/n"],
  [nodes, { name: "n", subresource: "proxy/stats/summary" }, "/api/v1/nodes/n/proxy/stats/summary"],
  [pods, { namespace: "a", name: "../x?y" }, "/api/v1/namespaces/a/pods/..%2Fx%3Fy"],
])("pathOf() %#", (resource, target, want) => {
  expect(pathOf(resource, target)).toBe(want);
});

test("apiVersionOf() leaves the core group out", () => {
  expect([apiVersionOf(pods), apiVersionOf(backups)]).toEqual(["v1", "velero.io/v1"]);
});

test("titleOf() names what a person would type", () => {
  expect(titleOf(backups, { namespace: "a", name: "b" })).toBe('backups.velero.io "a/b"');
  expect(titleOf(nodes, { name: "n", subresource: "status" })).toBe('nodes/status "n"');
  expect(titleOf(pods)).toBe("pods");
});
