import { expect, test } from "vitest";
import { readResourceList, readResults } from "./stored-words.ts";

test("readResults() takes what a backup writes, and of anything else only lists of texts", () => {
  const side = { velero: ["a"], cluster: ["b"], namespaces: { shop: ["c"] } };
  expect(readResults({ errors: side, warnings: {} })).toEqual({ errors: side, warnings: {} });
  expect(
    readResults({ errors: { velero: ["a", 1, null], cluster: "b", namespaces: { shop: 1, web: [{}] } } }),
  ).toEqual({
    errors: { velero: ["a"], namespaces: { web: [] } },
    warnings: {},
  });
  for (const odd of [null, 1, "a", []]) expect(readResults(odd)).toBeUndefined();
});

test("readResourceList() takes lists of names by kind, and passes over the rest", () => {
  expect(readResourceList({ "v1/Pod": ["shop/web"] })).toEqual({ "v1/Pod": ["shop/web"] });
  expect(readResourceList({ "v1/Pod": "shop/web", "v1/Secret": [1, "shop/s"] })).toEqual({
    "v1/Secret": ["shop/s"],
  });
  for (const odd of [null, undefined, 1, []]) expect(readResourceList(odd)).toBeUndefined();
});
