import { expect, test } from "vitest";
import type { Client } from "../kube/index.ts";
import { Rights } from "./rights.ts";

/** A cluster that allows these words: `verb resource.group namespace`. */
function rights(...allowed: readonly string[]) {
  const asked: string[] = [];
  const client = {
    create: async (_resource: unknown, review: { spec: { resourceAttributes: Record<string, string> } }) => {
      const { verb, group, resource, subresource, namespace } = review.spec.resourceAttributes;
      const words = `${verb} ${resource}${subresource ? `/${subresource}` : ""}.${group} ${namespace ?? "*"}`;
      asked.push(words);
      return { status: { allowed: allowed.includes(words) } };
    },
  } as unknown as Pick<Client, "create">; // what Rights uses of it
  return { asked, rights: new Rights(client, new AbortController().signal) };
}

const secret = { group: "", resource: "secrets", namespace: "shop" };

test.each([
  ["everything", "get *.* *", true],
  ["the kind", "get secrets. *", true],
  ["the kind in the namespace", "get secrets. shop", true],
  ["the kind elsewhere", "get secrets. other", false],
  ["another kind", "get configmaps. shop", false],
])("mayRead() of one who may read %s", async (_words, right, want) => {
  expect(await rights(right).rights.mayRead(secret)).toBe(want);
});

test("mayRead() of a cluster-scoped object needs the right in the whole cluster", async () => {
  const node = { group: "", resource: "nodes" };
  expect(await rights("get nodes. *").rights.mayRead(node)).toBe(true);
  expect(await rights("get nodes. shop").rights.mayRead(node)).toBe(false);
});

test("a question is asked once", async () => {
  const { asked, rights: one } = rights("get secrets. shop");
  for (let i = 0; i < 3; i += 1) await one.mayRead(secret);
  expect(asked).toEqual(["get *.* *", "get secrets. *", "get secrets. shop"]);
});

test("demandFiles() takes the right to run commands in the pods of the namespace", async () => {
  await rights("create pods/exec. shop").rights.demandFiles("shop");
  await rights("create pods/exec. *").rights.demandFiles("shop");
  await expect(
    rights("create pods/exec. other", "get *.* *").rights.demandFiles("shop"),
  ).rejects.toMatchObject({
    code: "BROWSE_DENIED",
    message: expect.stringContaining('namespace "shop"'),
  });
});
