import { expect, test } from "vitest";
import { listen } from "../../test/harness/listen.ts";
import { isGone } from "./api-error.ts";
import { connectTo } from "./client.ts";
import { nextLimit, withKind } from "./list.ts";

const configMaps = { group: "", version: "v1", plural: "configmaps", kind: "ConfigMap", namespaced: true };

test.each([
  ['{"metadata":{"name":"a"}}', '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}'],
  ['{"apiVersion":"v1","kind":"X"}', '{"apiVersion":"v1","kind":"X"}'],
  ['{ "kind":"X"}', '{ "kind":"X"}'],
  ["{}", '{"apiVersion":"v1","kind":"ConfigMap"}'],
])("withKind() of %s", (item, want) => {
  expect(withKind(Buffer.from(item), configMaps).toString()).toBe(want);
});

test.each([
  ["small items keep the page long", 500, 500, 500_000, 500],
  ["big items make it short", 500, 500, 500 << 20, 4],
  ["one item is always asked for", 500, 1, 50 << 20, 1],
  ["an empty page says nothing", 500, 0, 100, 500],
])("nextLimit(): %s", (_name, wanted, items, bytes, want) => {
  expect(nextLimit(wanted, items, bytes)).toBe(want);
});

/** An API server that answers from a script. */
async function serve(answers: readonly (readonly [number, unknown])[]) {
  const asked: string[] = [];
  const { url } = await listen((request, response) => {
    const [code, body] = answers[asked.push(request.url ?? "") - 1] ?? [500, {}];
    response.writeHead(code, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  return { client: connectTo({ server: url }, { retries: 0 }), asked };
}

const list = (names: readonly string[], more?: string) => ({
  kind: "ConfigMapList",
  metadata: { resourceVersion: "7", ...(more !== undefined && { continue: more }) },
  items: names.map((name) => ({ metadata: { name } })),
});
const expired = (more?: string) => ({
  kind: "Status",
  code: 410,
  reason: "Expired",
  message: "too old",
  metadata: more === undefined ? {} : { continue: more },
});

test("pages() goes on with the fresh token that comes with 410", async () => {
  const { client, asked } = await serve([
    [200, list(["a"], "one")],
    [410, expired("fresh")],
    [200, list(["b"])],
  ]);
  const names = (await client.list(configMaps, { namespace: "n" })).map((item) => item.metadata.name);
  expect(names).toEqual(["a", "b"]);
  expect(asked).toEqual([
    "/api/v1/namespaces/n/configmaps?limit=500",
    "/api/v1/namespaces/n/configmaps?limit=500&continue=one",
    "/api/v1/namespaces/n/configmaps?limit=500&continue=fresh",
  ]);
});

test("pages() throws 410 for callers that need one state, and when there is no fresh token", async () => {
  const strict = await serve([
    [200, list(["a"], "one")],
    [410, expired("fresh")],
  ]);
  const all = strict.client.list(configMaps, { onExpired: "throw" });
  await expect(all).rejects.toSatisfy(isGone);
  const stuck = await serve([
    [200, list(["a"], "one")],
    [410, expired()],
  ]);
  await expect(stuck.client.list(configMaps)).rejects.toSatisfy(isGone);
});

test("pages() that are left early stop asking", async () => {
  const { client, asked } = await serve([
    [200, list(["a"], "one")],
    [200, list(["b"], "two")],
    [200, list(["c"])],
  ]);
  for await (const page of client.pages(configMaps)) {
    expect(page.items).toHaveLength(1);
    break;
  }
  expect(asked.length).toBeLessThanOrEqual(2);
});
