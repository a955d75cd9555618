import { expect, test } from "vitest";
import { diffObjects, type Side } from "./objects.ts";
import { passesFilter } from "./sides.ts";

function side(objects: Readonly<Record<string, unknown>>): Side {
  return async function* () {
    for (const [key, value] of Object.entries(objects)) {
      const [resource = "", namespace = "", name = ""] = key.split("/");
      const read = () => ({ metadata: { name, uid: String(Math.random()) }, ...(value as object) });
      yield { group: "", resource, ...(namespace && { namespace }), name, read };
    }
  };
}

test("diffObjects() tells what came, went, changed and stayed", async () => {
  const before = side({
    "pods/a/same": { spec: 1 },
    "pods/a/old": {},
    "secrets/a/s": { data: { k: "1" } },
    "nodes//n": { spec: 1 },
  });
  const after = side({
    "secrets/a/s": { data: { k: "2" } },
    "pods/a/same": { spec: 1 },
    "pods/b/new": {},
    "nodes//n": { spec: 2 },
  });
  expect(await diffObjects(before, after)).toEqual({
    added: [{ resource: "pods", namespace: "b", name: "new" }],
    removed: [{ resource: "pods", namespace: "a", name: "old" }],
    changed: [
      { resource: "nodes", name: "n", fields: [{ path: "spec", before: 1, after: 2 }] },
      {
        resource: "secrets",
        namespace: "a",
        name: "s",
        fields: [{ path: "data.k", before: "(hidden)", after: "(hidden)" }],
      },
    ],
    same: 1,
    more: 0,
  });
});

test("diffObjects() lists a bounded number and counts the rest", async () => {
  const many = (of: string) =>
    side(Object.fromEntries(Array.from({ length: 2_500 }, (_, i) => [`pods/a/${of}${i}`, {}])));
  const { added, removed, more } = await diffObjects(many("x"), many("y"));
  expect([added.length, removed.length, more]).toEqual([2_000, 2_000, 1_000]);
});

test.each([
  [[], [], true],
  [["shop"], [], true],
  [["other"], [], false],
  [[], ["deployments"], true],
  [[], ["deployments.apps"], true],
  [["shop"], ["pods"], false],
])("passesFilter() with namespaces %j and kinds %j", (namespaces, resources, want) => {
  const place = { group: "apps", resource: "deployments", namespace: "shop" };
  expect(passesFilter({ namespaces, resources }, place)).toBe(want);
});
