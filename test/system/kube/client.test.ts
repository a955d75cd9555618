import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  findResource,
  isAlreadyExists,
  isConflict,
  isInvalid,
  isNotFound,
  type Resource,
  withKind,
} from "../../../src/kube/index.ts";
import { openCluster, type TestCluster } from "../../harness/cluster.ts";
import { eventually } from "../../harness/eventually.ts";
import { type ConfigMap, configMap, configMaps, crds } from "./kinds.ts";

describe("the client against a cluster", () => {
  let cluster: TestCluster;
  let namespace = "";
  beforeAll(async () => {
    cluster = await openCluster();
    ({ namespace } = cluster);
  });
  afterAll(() => cluster?.close());
  const create = (name: string, data?: Record<string, string>) =>
    cluster.client.create<ConfigMap>(configMaps, configMap(name, data), { namespace });

  test("an object is created, read, replaced under its lock, and deleted under its precondition", async () => {
    const { client } = cluster;
    const made = await create("crud", { a: "1" });
    await expect(create("crud")).rejects.toSatisfy(isAlreadyExists);
    const read = await client.get<ConfigMap>(configMaps, "crud", { namespace });
    expect(read).toMatchObject({ kind: "ConfigMap", data: { a: "1" }, metadata: { uid: made.metadata.uid } });
    const next = await client.replace<ConfigMap>(configMaps, { ...read, data: { a: "2" } });
    await expect(client.replace(configMaps, { ...read, data: { a: "3" } })).rejects.toSatisfy(isConflict);
    const old = { namespace, resourceVersion: read.metadata.resourceVersion };
    await expect(client.delete(configMaps, "crud", old)).rejects.toSatisfy(isConflict);
    await client.delete(configMaps, "crud", { namespace, uid: next.metadata.uid, propagation: "Background" });
    await expect(client.get(configMaps, "crud", { namespace })).rejects.toSatisfy(isNotFound);
  });

  test("an empty name names nothing, least of all everything", async () => {
    const { client } = cluster;
    await create("stays");
    const body = { data: { a: "1" } };
    await expect(client.delete(configMaps, "", { namespace })).rejects.toSatisfy(isNotFound);
    await expect(client.get(configMaps, "", { namespace })).rejects.toSatisfy(isNotFound);
    await expect(client.patch(configMaps, "", { type: "merge", body }, { namespace })).rejects.toSatisfy(
      isNotFound,
    );
    await client.get(configMaps, "stays", { namespace });
  });

  test("a type that the server does not have is told as such", async () => {
    const unknown = { ...configMaps, group: "nobody.example.com" };
    const asked = cluster.client.list(unknown, { namespace });
    await expect(asked).rejects.toSatisfy(isNotFound);
    await expect(asked).rejects.toThrow("list configmaps.nobody.example.com");
    await expect(asked).rejects.toThrow("is its definition installed?");
  });

  test("the four patches", async () => {
    const { client } = cluster;
    await create("patched", { a: "1" });
    const at = { namespace };
    await client.patch(configMaps, "patched", { type: "merge", body: { data: { a: null, b: "2" } } }, at);
    await client.patch(
      configMaps,
      "patched",
      { type: "json", body: [{ op: "add", path: "/data/c", value: "3" }] },
      at,
    );
    await client.patch(configMaps, "patched", { type: "strategic", body: { data: { d: "4" } } }, at);
    const applied = await client.patch<ConfigMap>(
      configMaps,
      "patched",
      { type: "apply", body: { ...configMap("patched", { e: "5" }) }, force: true },
      { ...at, fieldManager: "headway-test" },
    );
    expect(applied.data).toEqual({ b: "2", c: "3", d: "4", e: "5" });
  });

  test("a dry run changes nothing", async () => {
    const dry = { namespace, dryRun: true };
    await cluster.client.create(configMaps, configMap("dry"), dry);
    await expect(cluster.client.get(configMaps, "dry", { namespace })).rejects.toSatisfy(isNotFound);
  });

  test("a list comes in pages, parsed or as the server wrote it, and can be left early", async () => {
    const { client } = cluster;
    await Promise.all(
      Array.from({ length: 25 }, (_, i) => create(`page-${String(i).padStart(2, "0")}`, { i: `${i}` })),
    );
    const query = { namespace, labelSelector: "test=kube", limit: 10 };
    const pages = await Array.fromAsync(client.pages<ConfigMap>(configMaps, query));
    const names = pages.flatMap((page) => page.items.map((item) => item.metadata.name));
    expect(pages[0]?.items).toHaveLength(10);
    expect(pages[0]?.items[0]).toMatchObject({ apiVersion: "v1", kind: "ConfigMap" });
    expect(pages[0]?.resourceVersion).toBe(pages[1]?.resourceVersion);
    const raw = (await Array.fromAsync(client.rawPages(configMaps, query))).flatMap((page) => page.items);
    const parsed = raw.map((item) => JSON.parse(withKind(item, configMaps).toString()) as ConfigMap);
    expect(parsed.map((item) => item.metadata.name)).toEqual(names);
    expect(parsed[0]).toMatchObject({ apiVersion: "v1", kind: "ConfigMap" });
    expect(names.length).toBeGreaterThanOrEqual(25);
    for await (const page of client.rawPages(configMaps, query)) {
      expect(page.items).toHaveLength(10);
      break;
    }
  });

  test("metadata only, and a table", async () => {
    const { client } = cluster;
    await create("meta", { big: "x".repeat(1_000) });
    const query = { namespace, fieldSelector: "metadata.name=meta" };
    const [meta] = await client.list<ConfigMap>(configMaps, { ...query, metadataOnly: true });
    expect(meta).toMatchObject({ kind: "PartialObjectMetadata", metadata: { name: "meta" } });
    expect(meta?.data).toBeUndefined();
    const table = await client.table(configMaps, query);
    expect(table.columnDefinitions[0]?.name).toBe("Name");
    expect(table.rows).toHaveLength(1);
    expect(table.rows[0]?.cells[0]).toBe("meta");
  });

  test("a watch tells every change in order, from the version it was given", async () => {
    const { client } = cluster;
    const first = await create("watched", { n: "0" });
    const stop = new AbortController();
    const told: string[] = [];
    const watching = (async () => {
      const query = {
        namespace,
        resourceVersion: first.metadata.resourceVersion,
        fieldSelector: "metadata.name=watched",
      };
      for await (const event of client.watch<ConfigMap>(configMaps, query, stop.signal)) {
        if (event.type === "BOOKMARK") continue;
        told.push(`${event.type} ${event.object.data?.["n"]}`);
        if (event.type === "DELETED") return;
      }
    })();
    for (const n of ["1", "2", "3"]) {
      await client.patch(configMaps, "watched", { type: "merge", body: { data: { n } } }, { namespace });
    }
    await client.delete(configMaps, "watched", { namespace });
    await watching;
    stop.abort();
    expect(told).toEqual(["MODIFIED 1", "MODIFIED 2", "MODIFIED 3", "DELETED 3"]);
  });

  test("discovery knows built-in kinds, and a custom one with its status subresource works end to end", async () => {
    const { client } = cluster;
    const group = `${namespace}.headway.dev`;
    const widgets: Resource = { group, version: "v1", plural: "widgets", kind: "Widget", namespaced: true };
    const name = `widgets.${group}`;
    await client.create(crds, widgetDefinition(name, group));
    try {
      const found = await eventually(
        async () => findResource((await client.discover()).resources, name),
        (resource) => resource !== undefined,
      );
      expect(found).toMatchObject({ ...widgets, preferred: true, subresources: ["status"] });
      const { resources, failed } = await client.discover();
      expect(failed).toEqual([]);
      expect(findResource(resources, "deploy")).toMatchObject({ group: "apps", kind: "Deployment" });
      expect(findResource(resources, "ns")).toMatchObject({ plural: "namespaces", namespaced: false });
      const body = { apiVersion: `${group}/v1`, kind: "Widget", metadata: { name: "w" }, spec: { size: 1 } };
      await eventually(
        () => client.create(widgets, body, { namespace }).catch((error: unknown) => error),
        (made) => !isNotFound(made),
      );
      const bad = { type: "merge", body: { spec: { size: "much" } } } as const;
      await expect(client.patch(widgets, "w", bad, { namespace })).rejects.toSatisfy(isInvalid);
      const both = { type: "merge", body: { spec: { size: 9 }, status: { done: 3 } } } as const;
      const after = await client.patch(widgets, "w", both, { namespace, subresource: "status" });
      expect(after).toMatchObject({ spec: { size: 1 }, status: { done: 3 } });
    } finally {
      await client.delete(crds, name);
    }
  });

  test("deleteAll() deletes what the selector selects", async () => {
    const { client } = cluster;
    await Promise.all([create("gone-1"), create("gone-2")]);
    await client.patch(
      configMaps,
      "gone-1",
      { type: "merge", body: { metadata: { labels: { go: "yes" } } } },
      { namespace },
    );
    await client.deleteAll(configMaps, { namespace, labelSelector: "go=yes" });
    const names = (await client.list(configMaps, { namespace })).map((item) => item.metadata.name);
    expect(names).toContain("gone-2");
    expect(names).not.toContain("gone-1");
  });
});

function widgetDefinition(name: string, group: string) {
  const schema = {
    type: "object",
    properties: {
      spec: { type: "object", properties: { size: { type: "integer" } } },
      status: { type: "object", properties: { done: { type: "integer" } } },
    },
  };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name },
    spec: {
      group,
      scope: "Namespaced",
      names: { plural: "widgets", singular: "widget", kind: "Widget", listKind: "WidgetList" },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: { openAPIV3Schema: schema },
        },
      ],
    },
  };
}
