import { expect, test } from "vitest";
import { negotiate } from "./accept.ts";
import { parsePath } from "./path.ts";

test.each([
  ["/api/v1/pods", { group: "", version: "v1", plural: "pods" }],
  ["/api/v1/namespaces/n", { group: "", version: "v1", plural: "namespaces", name: "n" }],
  ["/api/v1/namespaces/n/pods", { group: "", version: "v1", namespace: "n", plural: "pods" }],
  [
    "/api/v1/namespaces/n/status",
    { group: "", version: "v1", plural: "namespaces", name: "n", subresource: "status" },
  ],
  [
    "/apis/apps/v1/namespaces/n/deployments/d/scale",
    { group: "apps", version: "v1", namespace: "n", plural: "deployments", name: "d", subresource: "scale" },
  ],
  ["/api/v1/namespaces/n/configmaps/a%2Fb", { name: "a/b" }],
])("parsePath(%j)", (path, want) => {
  expect(parsePath(path)).toMatchObject(want);
});

test.each(["/", "/api", "/api/v1", "/apis/apps/v1", "/version"])("parsePath(%j) is no resource", (path) => {
  expect(parsePath(path)).toBeUndefined();
});

test.each([
  [undefined, { media: "json" }],
  [
    "application/json;as=Table;v=v1;g=meta.k8s.io,application/json",
    { media: "json", as: "Table", version: "v1" },
  ],
  ["application/vnd.kubernetes.protobuf,application/json", { media: "json" }],
  ["application/json;as=Unheard,application/yaml", { media: "yaml" }],
  ["text/html", undefined],
])("negotiate(%j)", (header, want) => {
  expect(negotiate(header)).toEqual(want);
});
