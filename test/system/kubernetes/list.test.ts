// list: against the embedded server, and against the real one that KUBECONFIG names when HEADWAY_TEST_CLUSTER=1.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { core, made, maps, open, refused, shut, target } from "./conformance.ts";
import { type Body } from "./request.ts";

beforeAll(open);
afterAll(shut);

describe("list", () => {
  const labelled = `${core}/secrets`;

  beforeAll(async () => {
    for (const [name, labels] of Object.entries({
      l1: { app: "a", tier: "x" },
      l2: { app: "b" },
      l3: { app: "a" },
      l4: {},
    })) {
      await made(labelled, { metadata: { name, labels: { ...labels, set: "list" } } });
    }
  });

  const names = (body: Body): string[] => body.items.map((o: Body) => o.metadata.name);

  test("is a List of the kind, sorted, its items without kind", async () => {
    const { body } = await target.call("GET", `${labelled}?labelSelector=set%3Dlist`);
    expect([body.kind, body.apiVersion, names(body)]).toEqual(["SecretList", "v1", ["l1", "l2", "l3", "l4"]]);
    expect(Object.keys(body.items[0])).not.toContain("kind");
    expect(Number(body.metadata.resourceVersion)).toBeGreaterThan(0);
  });

  test.each([
    ["app=a", ["l1", "l3"]],
    ["app==b", ["l2"]],
    ["app!=a", ["l2", "l4"]],
    ["app in (a,b),tier", ["l1"]],
    ["app notin (a)", ["l2", "l4"]],
    ["!app", ["l4"]],
    ["app,!tier", ["l2", "l3"]],
  ])("label selector %s", async (selector, want) => {
    const { body } = await target.call(
      "GET",
      `${labelled}?labelSelector=${encodeURIComponent(`set=list,${selector}`)}`,
    );
    expect(names(body)).toEqual(want);
  });

  test.each([
    ["metadata.name=l2", ["l2"]],
    ["metadata.name!=l2,type=Opaque", ["l1", "l3", "l4"]],
  ])("field selector %s", async (selector, want) => {
    const query = `fieldSelector=${encodeURIComponent(selector)}&labelSelector=set%3Dlist`;
    expect(names((await target.call("GET", `${labelled}?${query}`)).body)).toEqual(want);
  });

  test.each([
    ["labelSelector=a%20b%20c", /unable to parse requirement/],
    [
      "fieldSelector=data.x%3D1",
      /"data.x" is not a known field selector: only "metadata.name", "metadata.namespace"/,
    ],
    ["limit=x", /strconv.ParseInt: parsing "x": invalid syntax/],
    ["resourceVersion=x", /^invalid resource version/],
    ["continue=x", /^invalid continue token|^continue key is not valid/],
  ])("is refused: ?%s", async (query, message) => {
    refused(await target.call("GET", `${maps}?${query}`), 400, "BadRequest", message);
  });

  test("pages go on where the last one ended, at the same version", async () => {
    const first = (await target.call("GET", `${labelled}?limit=2&labelSelector=set%3Dlist`)).body;
    expect([names(first), typeof first.metadata.continue]).toEqual([["l1", "l2"], "string"]);
    await made(labelled, { metadata: { name: "l9", labels: { set: "list" } } });
    const query = `limit=9&labelSelector=set%3Dlist&continue=${encodeURIComponent(first.metadata.continue)}`;
    const second = (await target.call("GET", `${labelled}?${query}`)).body;
    expect(names(second)).toEqual(["l3", "l4"]);
    expect(second.metadata).toEqual({ resourceVersion: first.metadata.resourceVersion });
    await target.call("DELETE", `${labelled}/l9`);
  });

  test("a page tells how many are left when nothing is selected", async () => {
    const all = (await target.call("GET", labelled)).body.items.length;
    const { metadata } = (await target.call("GET", `${labelled}?limit=1`)).body;
    expect(metadata.remainingItemCount).toBe(all - 1);
  });

  test("an exact version shows the past", async () => {
    const before = (await target.call("GET", `${labelled}?labelSelector=set%3Dlist`)).body;
    await made(labelled, { metadata: { name: "later", labels: { set: "list" } } });
    const query = `labelSelector=set%3Dlist&resourceVersion=${before.metadata.resourceVersion}&resourceVersionMatch=Exact`;
    expect(names((await target.call("GET", `${labelled}?${query}`)).body)).toEqual(names(before));
    await target.call("DELETE", `${labelled}/later`);
  });

  test("a version from the future", async () => {
    refused(
      await target.call("GET", `${labelled}?resourceVersion=99999999999`),
      504,
      "Timeout",
      /Too large resource version/,
    );
  });

  test("over all namespaces", async () => {
    const { body } = await target.call("GET", `/api/v1/secrets?labelSelector=set%3Dlist`);
    expect(names(body)).toEqual(["l1", "l2", "l3", "l4"]);
  });

  test("as a Table with columns and rows", async () => {
    const accept = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";
    const { body } = await target.call("GET", `${labelled}?labelSelector=set%3Dlist`, undefined, { accept });
    expect([body.kind, body.apiVersion]).toEqual(["Table", "meta.k8s.io/v1"]);
    expect(body.columnDefinitions.map((c: Body) => c.name)).toEqual(["Name", "Type", "Data", "Age"]);
    expect(body.rows[0].cells.slice(0, 3)).toEqual(["l1", "Opaque", 0]);
    expect(body.rows[0].object.kind).toBe("PartialObjectMetadata");
  });

  test("as metadata only", async () => {
    const accept = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io";
    const { body } = await target.call("GET", `${labelled}?labelSelector=set%3Dlist`, undefined, { accept });
    expect(body.kind).toBe("PartialObjectMetadataList");
    expect(Object.keys(body.items[0]).toSorted()).toEqual(expect.arrayContaining(["metadata"]));
    expect(body.items[0].data).toBeUndefined();
  });
});
