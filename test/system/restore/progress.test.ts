import { afterAll, beforeAll, expect, test } from "vitest";
import { kinds, type Restore } from "../../../src/api/index.ts";
import { connectTo, resourceOf, stretching, writeBudget } from "../../../src/kube/index.ts";
import {
  isTerminal,
  type Observation,
  type Operation,
  type Tracked,
  track,
} from "../../../src/progress/index.ts";
import { restoreFolder, restoreKey } from "../../../src/store/index.ts";
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

function configMap(
  namespace: string,
  name: string,
  labels: Record<string, string> = {},
): { type: string; thing: Thing } {
  return {
    type: "configmaps",
    thing: { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace, labels }, data: { a: "1" } },
  };
}

/** Many items, and pods that ask for claims that the label selector alone would not bring. */
function contents(namespace: string): { type: string; thing: Thing }[] {
  const many = Array.from({ length: 400 }, (_, n) => configMap(namespace, `c${n}`, { app: "a" }));
  const pods = Array.from({ length: 5 }, (_, n) => ({
    type: "pods",
    thing: {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: `p${n}`, namespace, labels: { app: "a" } },
      spec: {
        containers: [{ name: "c", image: "x" }],
        volumes: [{ name: "v", persistentVolumeClaim: { claimName: `claim${n}` } }],
      },
    },
  }));
  const claims = Array.from({ length: 5 }, (_, n) => ({
    type: "persistentvolumeclaims",
    thing: {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: { name: `claim${n}`, namespace },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
    },
  }));
  return [...many, ...pods, ...claims];
}

test("progress: the total comes first, nothing falls, 100 % comes with the end, and growth is shown as growth", async () => {
  const shop = stage.named("golden");
  await stage.backup("golden", archiveOf(contents(shop)));
  await stage.request("golden", { backupName: "golden", labelSelector: { matchLabels: { app: "a" } } });
  const stop = new AbortController();
  const since = Date.now();
  const seen: Observation[] = [];
  const { done, status } = stage.start(stop.signal, { parallel: 4 }, (one) => void seen.push(one));
  const samples: Restore[] = [];
  let firstTotalBeforeItems: boolean | undefined;
  // Ten looks a second, at the custom resource and at the cluster.
  await until(async () => {
    const restore = await stage.getRestore("golden");
    samples.push(restore);
    const total = restore.status?.progress?.totalItems;
    if (firstTotalBeforeItems === undefined && total !== undefined) {
      firstTotalBeforeItems = (restore.status?.progress?.itemsRestored ?? 0) === 0;
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
    return restore.status?.phase === "Completed";
  });
  stop.abort();
  await done;
  expect(firstTotalBeforeItems).toBe(true);
  const shown = samples.flatMap(({ status: one }) => (one?.progress ? [one] : []));
  for (const [at, one] of shown.entries()) {
    const before = shown[at - 1]?.progress?.itemsRestored ?? 0;
    expect(one.progress?.itemsRestored ?? 0).toBeGreaterThanOrEqual(before);
    expect(one.progress?.itemsRestored ?? 0).toBeLessThanOrEqual(one.progress?.totalItems ?? 0);
  }
  // 400 ConfigMaps, 5 Pods, 1 Namespace were listed; 5 claims came on top.
  expect(shown.at(-1)?.progress).toEqual({ totalItems: 411, itemsRestored: 411 });
  // First and last, a phase in between, the first total: beside one for each interval of the time it really took.
  expect(status.counts.writes).toBeLessThanOrEqual(writeBudget(Date.now() - since, 2, stretching));
  const operations = folded(seen);
  for (const [at, one] of operations.entries()) {
    expect(one.fraction ?? 0).toBeGreaterThanOrEqual(operations[at - 1]?.fraction ?? 0);
    if (!isTerminal(one.state)) expect(one.fraction ?? 0).toBeLessThan(1);
  }
  expect(operations.at(-1)).toMatchObject({ state: "completed", fraction: 1 });
});

/** What a viewer makes of the engine's reports. */
function folded(seen: readonly Observation[]): Operation[] {
  const operations: Operation[] = [];
  let tracked: Tracked | undefined;
  for (const [at, one] of seen.entries()) {
    tracked = track(tracked, one, 1_000_000 + at);
    operations.push(tracked.operation);
  }
  return operations;
}

test("a canceled restore ends as Failed, says why, and leaves the rest undone", async () => {
  const shop = stage.named("cancel");
  await stage.backup("cancel", archiveOf(Array.from({ length: 3_000 }, (_, n) => configMap(shop, `c${n}`))));
  await stage.request("cancel", { backupName: "cancel" });
  const stop = new AbortController();
  const { done } = stage.start(stop.signal, { parallel: 1 });
  await until(async () => (await stage.getRestore("cancel")).status?.progress?.totalItems !== undefined);
  const body = { metadata: { annotations: { "headway.dev/cancel": "true" } } };
  await stage.client.patch(
    resourceOf(kinds.Restore),
    "cancel",
    { type: "merge", body },
    { namespace: stage.namespace },
  );
  await until(async () => (await stage.getRestore("cancel")).status?.phase === "Failed");
  stop.abort();
  await done;
  expect((await stage.getRestore("cancel")).status?.failureReason).toBe("canceled by request");
  expect(await stage.store.head(restoreKey("cancel", "log"))).toBeDefined();
  const there = await stage.client.list<Thing>(configMaps, { namespace: shop });
  expect(there.length).toBeLessThan(3_000);
});

test("a restore whose end the watch has not told yet is not run a second time", async () => {
  const shop = stage.named("late");
  await stage.backup("late", archiveOf([configMap(shop, "once")]));
  await stage.request("late", { backupName: "late" });
  const proxy = await FaultProxy.open(await stage.access());
  proxy.fault = ({ watch }) => (watch ? { kind: "silence" } : undefined);
  const client = connectTo({ server: proxy.url });
  const states: string[] = [];
  const stop = new AbortController();
  const { done } = stage.start(stop.signal, { client }, ({ state = "" }) => void states.push(state));
  try {
    await until(async () => (await stage.getRestore("late")).status?.phase === "Completed");
    // Time enough to begin again: that would be the first thing after the end.
    for (let n = 0; n < 20; n += 1) await stage.getRestore("late");
  } finally {
    stop.abort();
    await done;
    client.close();
    await proxy.close();
  }
  expect((await stage.getRestore("late")).status?.phase).toBe("Completed");
  expect(states.indexOf("completed")).toBe(states.length - 1);
});

test("a deleted restore takes its files along and leaves what it restored", async () => {
  const shop = stage.named("delete");
  await stage.backup("delete", archiveOf([configMap(shop, "kept")]));
  await stage.request("delete", { backupName: "delete" });
  await stage.run("delete");
  const files = async () => (await Array.fromAsync(stage.store.list(restoreFolder("delete")))).length;
  expect(await files()).toBeGreaterThan(0);
  await stage.client.delete(resourceOf(kinds.Restore), "delete", { namespace: stage.namespace });
  const stop = new AbortController();
  const { done } = stage.start(stop.signal);
  await until(async () => {
    const left = await stage.client.list<Restore>(resourceOf(kinds.Restore), { namespace: stage.namespace });
    return !left.some(({ metadata }) => metadata.name === "delete");
  });
  stop.abort();
  await done;
  expect(await files()).toBe(0);
  expect(await stage.client.get<Thing>(configMaps, "kept", { namespace: shop })).toMatchObject({
    data: { a: "1" },
  });
});

test.each([
  ["a missing backup", "gone", 'there is no backup "gone"'],
  ["a backup that still runs", "running", "its phase is InProgress"],
])("%s is refused", async (_title, name, reason) => {
  if (name === "running") await stage.backup(name, Buffer.alloc(0), { phase: "InProgress" });
  await stage.request(`refused-${name}`, { backupName: name });
  const { status } = await stage.run(`refused-${name}`);
  expect(status).toMatchObject({
    phase: "FailedValidation",
    validationErrors: [expect.stringContaining(reason)],
  });
});

test("a hostile archive fails its own restore and touches nothing", async () => {
  const shop = stage.named("hostile");
  const good = archiveOf([configMap(shop, "good")]);
  await stage.backup("hostile", good.subarray(0, good.length - 12));
  await stage.request("hostile", { backupName: "hostile" });
  const { status } = await stage.run("hostile");
  expect(status).toMatchObject({ phase: "Failed", failureReason: expect.stringContaining("damaged or cut") });
  const spaces = await stage.client.list<Thing>(core("namespaces", "Namespace", false));
  expect(spaces.map(({ metadata }) => metadata.name)).not.toContain(shop);
});

test("an item that the cluster refuses, and one whose kind it does not serve, are errors of their own", async () => {
  const shop = stage.named("partial");
  const odd = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "Not_A_Name", namespace: shop } };
  const widget = { apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "w", namespace: shop } };
  await stage.backup(
    "partial",
    archiveOf([
      configMap(shop, "fine"),
      { type: "configmaps", thing: odd },
      { type: "widgets.example.com", thing: widget },
    ]),
  );
  await stage.request("partial", { backupName: "partial" });
  const { status } = await stage.run("partial");
  expect(status).toMatchObject({
    phase: "PartiallyFailed",
    errors: 2,
    progress: { totalItems: 4, itemsRestored: 4 },
  });
  expect(await stage.client.get<Thing>(configMaps, "fine", { namespace: shop })).toBeDefined();
});
