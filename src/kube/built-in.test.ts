import { expect, test } from "vitest";
import { builtIn } from "./built-in.ts";
import { pathOf } from "./resource.ts";

test("builtIn leads to the paths of the API", () => {
  const paths = Object.values(builtIn).map((resource) => pathOf(resource, { namespace: "shop" }));
  expect(new Set(paths).size).toBe(paths.length);
  expect(paths).toContain("/api/v1/namespaces/shop/persistentvolumeclaims");
  expect(paths).toContain("/api/v1/persistentvolumes");
  expect(paths).toContain("/apis/apps/v1/namespaces/shop/deployments");
  expect(paths).toContain("/apis/apiextensions.k8s.io/v1/customresourcedefinitions");
});
