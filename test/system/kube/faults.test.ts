import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  type Client,
  connectTo,
  Informer,
  isAlreadyExists,
  isConflict,
  StatusWriter,
  steady,
} from "../../../src/kube/index.ts";
import { openCluster, type TestCluster } from "../../harness/cluster.ts";
import { eventually } from "../../harness/eventually.ts";
import { type Fault, FaultProxy } from "../../harness/fault-proxy.ts";
import { type ConfigMap, configMap, configMaps } from "./kinds.ts";

/** Requests within any second, all clients of a test together: more is a storm. */
const stormLimit = 40;

describe("faults between client and cluster", () => {
  let cluster: TestCluster;
  let namespace = "";
  let proxy: FaultProxy;
  let client: Client;
  let stop: AbortController;
  beforeAll(async () => {
    cluster = await openCluster();
    ({ namespace } = cluster);
  });
  afterAll(() => cluster?.close());
  beforeEach(async () => {
    stop = new AbortController();
    proxy = await FaultProxy.open(cluster.access);
    client = connectTo({ server: proxy.url }, { backoff: { firstMs: 50, maxMs: 500 }, timeoutMs: 1_000 });
  });
  afterEach(async () => {
    stop.abort();
    client.close();
    await proxy.close();
    await cluster.client.deleteAll(configMaps, { namespace });
  });
  const make = (name: string, data?: Record<string, string>) =>
    cluster.client.create<ConfigMap>(configMaps, configMap(name, data), { namespace });
  const names = (objects: readonly ConfigMap[]) => objects.map((object) => object.metadata.name);

  /** The first so many requests have the fault. */
  const first = (count: number, fault: Fault) => {
    proxy.fault = (_request, index) => (index < count ? fault : undefined);
  };

  test.each<[string, Fault]>([
    ["a delay", { kind: "delay", ms: 300 }],
    ["a reset", { kind: "reset" }],
    ["a lost answer", { kind: "lost-answer" }],
    ["an answer cut by a reset", { kind: "cut", afterBytes: 40, how: "reset" }],
    ["an answer cut as if it had ended", { kind: "cut", afterBytes: 40, how: "end" }],
    ["silence", { kind: "silence" }],
    ["429", { kind: "status", code: 429 }],
    ["500", { kind: "status", code: 500 }],
    ["503", { kind: "status", code: 503 }],
    ["504", { kind: "status", code: 504 }],
  ])("reads, merge patches, replaces and deletes survive %s", async (_name, fault) => {
    await make("victim", { n: "1" });
    const two = () => {
      const at = proxy.seen.length;
      proxy.fault = (_request, index) => (index < at + 2 ? fault : undefined);
    };
    two();
    const read = await client.get<ConfigMap>(configMaps, "victim", { namespace });
    expect(read.data).toEqual({ n: "1" });
    two();
    await client.patch(configMaps, "victim", { type: "merge", body: { data: { n: "2" } } }, { namespace });
    two();
    expect(names(await client.list(configMaps, { namespace, labelSelector: "test=kube" }))).toEqual([
      "victim",
    ]);
    const now = await cluster.client.get<ConfigMap>(configMaps, "victim", { namespace });
    expect(now.data).toEqual({ n: "2" });
    expect(proxy.busiestSecond).toBeLessThan(stormLimit);
  });

  test("409 is never repeated: the caller has to look again", async () => {
    await make("locked");
    first(1, { kind: "status", code: 409, reason: "Conflict" });
    const patch = client.patch(configMaps, "locked", { type: "merge", body: {} }, { namespace });
    await expect(patch).rejects.toSatisfy(isConflict);
    expect(proxy.seen).toHaveLength(1);
  });

  test("Retry-After is honoured", async () => {
    await make("later");
    first(1, { kind: "status", code: 429, retryAfter: 1 });
    await client.get(configMaps, "later", { namespace });
    const [one, two] = proxy.seen;
    expect((two?.at ?? 0) - (one?.at ?? 0)).toBeGreaterThanOrEqual(1_000);
  });

  test("a create whose answer is lost is not repeated, so nothing is made twice", async () => {
    first(1, { kind: "lost-answer" });
    const body = { ...configMap("x"), metadata: { generateName: "once-", labels: { test: "once" } } };
    await expect(client.create(configMaps, body, { namespace })).rejects.toMatchObject({
      code: "KUBE_UNREACHABLE",
    });
    const made = await cluster.client.list(configMaps, { namespace, labelSelector: "test=once" });
    expect(made).toHaveLength(1);
    expect(proxy.seen).toHaveLength(1);
  });

  test("a create that was refused by flow control is repeated, and a JSON patch is not repeated blindly", async () => {
    first(1, { kind: "status", code: 429 });
    await client.create(configMaps, configMap("flow"), { namespace });
    await expect(client.create(configMaps, configMap("flow"), { namespace })).rejects.toSatisfy(
      isAlreadyExists,
    );
    const at = proxy.seen.length;
    proxy.fault = () => ({ kind: "status", code: 500 });
    const patch = client.patch(
      configMaps,
      "flow",
      { type: "json", body: [{ op: "add", path: "/data", value: {} }] },
      { namespace },
    );
    await expect(patch).rejects.toMatchObject({ status: { code: 500 } });
    expect(proxy.seen.length - at).toBe(1);
  });

  test("a list whose token expires between pages, with no other to go on with, is an error and not a short list", async () => {
    await Promise.all(Array.from({ length: 12 }, (_, i) => make(`item-${10 + i}`)));
    const pages = client.pages<ConfigMap>(configMaps, { namespace, labelSelector: "test=kube", limit: 5 });
    proxy.fault = (_request, index) =>
      index === 1 ? { kind: "status", code: 410, reason: "Expired" } : undefined;
    await expect(Array.fromAsync(pages)).rejects.toMatchObject({ status: { code: 410 } });
  });

  function informer(quietMs: number) {
    const told: string[] = [];
    const errors: unknown[] = [];
    const made = new Informer<ConfigMap, string>({
      client,
      resource: configMaps,
      query: { namespace, labelSelector: "test=kube" },
      project: (object) => object.data?.["n"] ?? "",
      onChange: (key, now) => told.push(`${key} ${now}`),
      onError: (error) => errors.push(error),
      backoff: { firstMs: 50, maxMs: 500 },
      quietMs,
    });
    void made.run(stop.signal);
    return { made, told, errors };
  }
  const state = (made: Informer<ConfigMap, string>) => Object.fromEntries(made.entries());
  const wanted = async () => {
    const all = await cluster.client.list<ConfigMap>(configMaps, { namespace, labelSelector: "test=kube" });
    return Object.fromEntries(all.map((one) => [`${namespace}/${one.metadata.name}`, one.data?.["n"] ?? ""]));
  };
  const same = (a: unknown, b: unknown) => JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
  const sorted = (value: unknown) => Object.entries(value as object).toSorted(([a], [b]) => (a < b ? -1 : 1));

  const requestFaults: readonly Fault[] = [
    { kind: "delay", ms: 100 },
    { kind: "reset" },
    { kind: "cut", afterBytes: 700, how: "reset" },
    { kind: "cut", afterBytes: 700, how: "end" },
    { kind: "silence" },
    { kind: "status", code: 410, reason: "Expired" },
    { kind: "status", code: 409, reason: "Conflict" },
    { kind: "status", code: 429, retryAfter: 1 },
    { kind: "status", code: 500 },
    { kind: "status", code: 503 },
    { kind: "status", code: 504 },
  ];

  test("an informer sees every change through each fault in turn, without a storm", async () => {
    await Promise.all(Array.from({ length: 20 }, (_, i) => make(`object-${i}`, { n: "0" })));
    let next = 0;
    // Every other request has a fault, each kind in turn; watches that live are cut now and then as well.
    proxy.fault = (_request, index) =>
      index % 2 === 0 ? requestFaults[next++ % requestFaults.length] : undefined;
    const { made } = informer(400);
    await made.synced(AbortSignal.timeout(60_000));
    for (let round = 1; round <= 30; round++) {
      const name = `object-${round % 20}`;
      if (round % 7 === 0)
        await cluster.client.delete(configMaps, name, { namespace }).catch(() => undefined);
      else if (round % 5 === 0) await make(`extra-${round}`, { n: `${round}` });
      else {
        const patch = { type: "merge", body: { data: { n: `${round}` } } } as const;
        await cluster.client.patch(configMaps, name, patch, { namespace }).catch(() => undefined);
      }
      if (round % 6 === 0) proxy.cutAll();
      await eventually(
        () => proxy.seen.length,
        (seen) => seen >= round,
        60_000,
      );
    }
    const want = await wanted();
    await eventually(
      () => state(made),
      (have) => same(have, want),
    );
    expect(next, "every fault was met").toBeGreaterThanOrEqual(requestFaults.length);
    expect(proxy.busiestSecond).toBeLessThan(stormLimit);
  });

  test("an informer notices a watch that died silently", async () => {
    await make("quiet", { n: "1" });
    let silenced = 0;
    proxy.fault = (request) => {
      if (!request.watch || silenced > 0) return undefined;
      silenced += 1;
      return { kind: "silence" };
    };
    const { made } = informer(500);
    await made.synced(AbortSignal.timeout(30_000));
    await cluster.client.patch(
      configMaps,
      "quiet",
      { type: "merge", body: { data: { n: "2" } } },
      { namespace },
    );
    await eventually(
      () => made.get(`${namespace}/quiet`),
      (n) => n === "2",
    );
    expect(silenced).toBe(1);
  });

  test("an informer lists again after 410 and drops what was deleted meanwhile", async () => {
    await Promise.all([make("stays", { n: "1" }), make("goes", { n: "1" })]);
    const { made, told } = informer(60_000);
    await made.synced(AbortSignal.timeout(30_000));
    proxy.fault = (request) => (request.watch ? { kind: "status", code: 410, reason: "Expired" } : undefined);
    proxy.cutAll();
    await cluster.client.delete(configMaps, "goes", { namespace });
    await eventually(
      () => made.size,
      (size) => size === 1,
    );
    expect(told).toContain(`${namespace}/goes undefined`);
    expect(proxy.busiestSecond).toBeLessThan(stormLimit);
  });

  test("a status stream gets through every fault; the last value arrives, the newer spec stays", async () => {
    const objects = await Promise.all(
      Array.from({ length: 5 }, (_, i) => make(`status-${i}`, { spec: "old" })),
    );
    let next = 0;
    const faults: readonly Fault[] = [...requestFaults, { kind: "lost-answer" }];
    proxy.fault = (_request, index) => (index % 2 === 0 ? faults[next++ % faults.length] : undefined);
    const writer = new StatusWriter({ client, interval: steady(100), backoff: { firstMs: 50, maxMs: 500 } });
    const targets = objects.map(({ metadata: { name, uid } }) => ({
      resource: configMaps,
      namespace,
      name,
      uid,
    }));
    for (let n = 0; next < faults.length * 2; n++) {
      for (const target of targets) writer.offer(target, { data: { status: `${n}` } });
      if (n === 10) {
        const spec = { type: "merge", body: { data: { spec: "new" } } } as const;
        await cluster.client.patch(configMaps, "status-0", spec, { namespace });
      }
      await new Promise((resolve) => setTimeout(resolve, 20)); // the pace of the offers, not a wait for an outcome
    }
    await Promise.all(targets.map((target) => writer.finish(target, { data: { status: "final" } })));
    const stored = await cluster.client.list<ConfigMap>(configMaps, {
      namespace,
      labelSelector: "test=kube",
    });
    expect(stored.map((one) => one.data?.["status"])).toEqual(Array(5).fill("final"));
    expect(stored[0]?.data?.["spec"]).toBe("new");
    expect(writer.counts.failures).toBeGreaterThan(0);
    expect(writer.counts.dropped).toBe(0);
    // Five objects at ten writes a second, and what the faults cost on top.
    expect(proxy.busiestSecond).toBeLessThan(stormLimit + 50);
    writer.close();
  });

  test("a status for a successor of the same name is not written", async () => {
    const first = await make("reborn");
    await cluster.client.delete(configMaps, "reborn", { namespace });
    await make("reborn", { fresh: "yes" });
    const writer = new StatusWriter({ client });
    const target = { resource: configMaps, namespace, name: "reborn", uid: first.metadata.uid };
    await writer.finish(target, { data: { status: "final" } });
    const now = await cluster.client.get<ConfigMap>(configMaps, "reborn", { namespace });
    expect(now.data).toEqual({ fresh: "yes" });
    expect(writer.counts).toMatchObject({ writes: 0, dropped: 1 });
    writer.close();
  });
});
