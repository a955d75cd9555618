import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Restore } from "../../../src/api/index.ts";
import { builtIn, connectTo } from "../../../src/kube/index.ts";
import { restoreKey } from "../../../src/store/index.ts";
import { FaultProxy } from "../../harness/fault-proxy.ts";
import { archiveOf, core, RestoreStage, type Thing, until } from "../../harness/restore-stage.ts";

let stage: RestoreStage;
beforeAll(async () => {
  stage = await RestoreStage.open();
});
afterAll(async () => {
  await stage.close();
});

const configMaps = core("configmaps", "ConfigMap");
const namespaces = core("namespaces", "Namespace", false);

function configMap(
  namespace: string,
  name: string,
  data: object = { a: "1" },
): { type: string; thing: Thing } {
  return {
    type: "configmaps",
    thing: { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace }, data },
  };
}

async function namespace(name: string, more: object = {}): Promise<void> {
  const metadata = { name, ...more };
  await stage.create(namespaces, { apiVersion: "v1", kind: "Namespace", metadata });
}

/** Stores an archive, asks for it back, and runs until the end. */
async function restored(
  name: string,
  things: readonly { type: string; thing: Thing }[],
  spec: object = {},
  change: Parameters<RestoreStage["run"]>[1] = {},
): Promise<Restore> {
  await stage.backup(name, archiveOf(things));
  await stage.request(name, { backupName: name, ...spec });
  return stage.run(name, change);
}

async function results(name: string): Promise<string> {
  const chunks = await Array.fromAsync(await stage.store.get(restoreKey(name, "results")));
  return gunzipSync(Buffer.concat(chunks)).toString();
}

test("two namespaces mapped onto one target are refused", async () => {
  const spec = { namespaceMapping: { a: "same", b: "same" } };
  const { status } = await restored("mapped", [configMap("a", "x")], spec);
  expect(status).toMatchObject({
    phase: "FailedValidation",
    validationErrors: ['namespaces "a", "b" are all mapped to "same"'],
  });
});

test("a target namespace that is being deleted is waited for, and told when it stays", async () => {
  const shop = stage.named("ending");
  // A finalizer of nobody's keeps the namespace where it is.
  await namespace(shop);
  const stuck: Thing = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "stuck", namespace: shop, finalizers: ["example.com/nobody"] },
  };
  await stage.create(configMaps, stuck);
  await stage.client.delete(namespaces, shop);
  await until(async () => {
    const now = await stage.client.get<Thing>(namespaces, shop);
    return now.metadata["deletionTimestamp"] != null;
  });
  const first = await restored("ending", [configMap(shop, "x")], {}, { terminatingTimeoutMs: 1_500 });
  expect(first.status?.phase).toBe("PartiallyFailed");
  expect(await results("ending")).toContain("it is still being deleted");
  await stage.request("ending-2", { backupName: "ending" });
  const stop = new AbortController();
  const seen: string[] = [];
  const { done } = stage.start(stop.signal, {}, (one) => {
    for (const child of one.children ?? []) seen.push(child.waitingFor?.message ?? "");
  });
  await until(async () => seen.some((text) => text.includes("is being deleted")));
  const body = { metadata: { finalizers: null } };
  await stage.client.patch(configMaps, "stuck", { type: "merge", body }, { namespace: shop });
  await until(async () => /Completed|Failed/.test((await stage.getRestore("ending-2")).status?.phase ?? ""));
  stop.abort();
  await done;
  expect((await stage.getRestore("ending-2")).status).toMatchObject({ phase: "Completed" });
  await stage.client.get(configMaps, "x", { namespace: shop });
});

test("an item of a kind that the cluster does not know is an error; the others come back", async () => {
  const shop = stage.named("no-crd");
  const widget: Thing = {
    apiVersion: "example.com/v1",
    kind: "Widget",
    metadata: { name: "w", namespace: shop },
  };
  const things = [configMap(shop, "x"), { type: "widgets.example.com", thing: widget }];
  const { status } = await restored("no-crd", things);
  expect(status).toMatchObject({ phase: "PartiallyFailed", errors: 1 });
  expect(await results("no-crd")).toContain("the cluster does not serve Widget of example.com/v1");
  await stage.client.get(configMaps, "x", { namespace: shop });
});

test("fields that cannot be changed are a warning with policy update, and the labels say who tried", async () => {
  const shop = stage.named("fixed");
  await namespace(shop);
  const was = configMap(shop, "c", { a: "old" }).thing;
  await stage.create(configMaps, { ...was, immutable: true });
  const things = [configMap(shop, "c", { a: "new" })];
  const { status } = await restored("fixed", things, { existingResourcePolicy: "update" });
  expect(status).toMatchObject({ phase: "Completed", warnings: 1 });
  expect(await results("fixed")).toMatch(/could not be updated: .*immutable/);
  const there = await stage.client.get<Thing>(configMaps, "c", { namespace: shop });
  expect(there["data"]).toEqual({ a: "old" });
  expect(there.metadata.labels).toMatchObject({ "velero.io/restore-name": "fixed" });
});

test.each([
  ["409", { code: 409, reason: "Conflict" }],
  ["429", { code: 429, reason: "TooManyRequests" }],
  ["500", { code: 500, reason: "InternalError" }],
])("a storm of %s costs time, not items", async (name, { code, reason }) => {
  const shop = stage.named(`storm-${name}`);
  const proxy = await FaultProxy.open(await stage.access());
  let writes = 0;
  // One at a time, and every other write is refused: each object needs two.
  proxy.fault = ({ method, path, watch }) => {
    if (watch || method === "GET" || !path.includes("/configmaps")) return undefined;
    writes += 1;
    return writes % 2 === 1 ? { kind: "status", code, reason, retryAfter: 0 } : undefined;
  };
  const client = connectTo({ server: proxy.url });
  try {
    const things = Array.from({ length: 8 }, (_, n) => configMap(shop, `c${n}`));
    const { status } = await restored(`storm-${name}`, things, {}, { client, parallel: 1 });
    expect(status, await results(`storm-${name}`)).toMatchObject({
      phase: "Completed",
      progress: { totalItems: 9, itemsRestored: 9 },
    });
    const there = await stage.client.list<Thing>(configMaps, { namespace: shop });
    expect(there.filter(({ metadata }) => /^c\d+$/.test(metadata.name))).toHaveLength(8);
    expect(writes).toBe(16);
  } finally {
    client.close();
    await proxy.close();
  }
});

test.each([
  [
    "a webhook",
    { code: 400, reason: "BadRequest" },
    'admission webhook "policy.example.com" denied the request: not on a Sunday',
  ],
  ["a quota", { code: 403, reason: "Forbidden" }, "exceeded quota: small, requested: count/configmaps=1"],
])("an item that %s refuses is an error with the server's words", async (what, { code, reason }, message) => {
  const name = what.replace("a ", "");
  const shop = stage.named(name);
  const proxy = await FaultProxy.open(await stage.access());
  let refusals = 0;
  proxy.fault = ({ method, path }) => {
    if (method !== "POST" || !path.endsWith("/secrets")) return undefined;
    refusals += 1;
    return { kind: "status", code, reason, message };
  };
  const client = connectTo({ server: proxy.url });
  try {
    const secret: Thing = {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "s", namespace: shop },
      data: {},
    };
    const things = [configMap(shop, "x"), { type: "secrets", thing: secret }];
    const { status } = await restored(name, things, {}, { client });
    expect(status).toMatchObject({
      phase: "PartiallyFailed",
      errors: 1,
      progress: { totalItems: 3, itemsRestored: 3 },
    });
    expect(JSON.parse(await results(name))).toMatchObject({
      errors: { namespaces: { [shop]: [expect.stringContaining(message)] } },
    });
    expect(refusals, "a refusal is not asked for again").toBe(1);
    await stage.client.get(configMaps, "x", { namespace: shop });
  } finally {
    client.close();
    await proxy.close();
  }
});

test("a volume whose content was to be in a CSI snapshot, and is not, is told", async () => {
  const shop = stage.named("csi");
  const volume: Thing = {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name: stage.named("pv-csi") },
    spec: { persistentVolumeReclaimPolicy: "Delete", claimRef: { namespace: shop, name: "data" } },
  };
  const content: Thing = {
    apiVersion: "snapshot.storage.k8s.io/v1",
    kind: "VolumeSnapshotContent",
    metadata: { name: stage.named("vsc") },
    spec: {},
  };
  const { snapshotContents: snapshots } = builtIn;
  const info = [
    { pvName: volume.metadata.name, pvcName: "data", pvcNamespace: shop, backupMethod: "CSISnapshot" },
  ];
  await stage.side("csi", "volumeInfo", info);
  const things = [
    { type: "persistentvolumes", thing: volume },
    { type: "volumesnapshotcontents.snapshot.storage.k8s.io", thing: content },
  ];
  const { status } = await restored("csi", things, { includeClusterResources: true });
  expect(status).toMatchObject({ phase: "Completed", warnings: 1 });
  expect(await results("csi")).toContain("none is in the backup; its claim gets an empty volume");
  const { resources } = await stage.client.discover();
  if (resources.some(({ plural }) => plural === "volumesnapshotcontents"))
    expect(await stage.client.list(snapshots)).toEqual([]);
});
