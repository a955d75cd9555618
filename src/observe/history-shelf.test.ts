import { expect, test } from "vitest";
import { TestClock } from "../../test/harness/clock.ts";
import type { Backup, KubeObject, MigMigration } from "../api/index.ts";
import { ApiError, type Patch, type Resource } from "../kube/index.ts";
import { type Observation, type Tracked, track } from "../progress/index.ts";
import { withHistory } from "./history.ts";
import { HistoryShelf, overflow } from "./history-shelf.ts";

const notFound = () =>
  new ApiError("get configmaps", {
    code: 404,
    reason: "NotFound",
    message: "no",
  });

/** A place for one ConfigMap, which counts the writes. */
function fakeCluster() {
  const state: { data: Record<string, string> | undefined; writes: number } = { data: undefined, writes: 0 };
  const object = () => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "x" }, data: state.data });
  const client = {
    get: async <T extends KubeObject>(): Promise<T> => {
      if (!state.data) throw notFound();
      return object() as unknown as T;
    },
    create: async <T extends KubeObject>(_: Resource, given: unknown): Promise<T> => {
      state.writes += 1;
      state.data = (given as { data: Record<string, string> }).data;
      return object() as unknown as T;
    },
    patch: async <T extends KubeObject>(_: Resource, _name: string, patch: Patch): Promise<T> => {
      if (!state.data) throw notFound();
      state.writes += 1;
      const { data } = patch.body as { data: Record<string, string | null> };
      for (const [key, value] of Object.entries(data)) {
        if (value === null) delete state.data[key];
        else state.data[key] = value;
      }
      return object() as unknown as T;
    },
  };
  return { client, state };
}

const backup = (schedule: string): Backup => ({
  apiVersion: "velero.io/v1",
  kind: "Backup",
  metadata: { name: "b", namespace: "velero", labels: { "velero.io/schedule-name": schedule } },
});

function completed(): Tracked {
  const ref = { apiVersion: "velero.io/v1", kind: "Backup", name: "b" };
  const seen = { id: "b", ref, kind: "backup", title: "b" };
  const at = (done: number) => ({ unit: "bytes" as const, done, total: 10 });
  const half = track(undefined, { ...seen, state: "running", progress: at(5) }, 1_000);
  return track(half, { ...seen, state: "completed", progress: at(10) }, 61_000);
}

test("HistoryShelf keeps what runs taught, in one write for several, and finds it again", async () => {
  const { client, state } = fakeCluster();
  const clock = new TestClock();
  const shelf = new HistoryShelf({ client, namespace: "velero", clock });
  await shelf.load();
  expect(shelf.book(backup("a")).parts).toEqual({});
  shelf.learn(backup("a"), completed());
  shelf.learn(backup("b"), completed());
  await clock.advance(2_000);
  expect(state.writes).toBe(1);
  shelf.learn(backup("a"), completed());
  await shelf.save();
  expect(state.writes).toBe(2);
  const next = new HistoryShelf({ client, namespace: "velero", clock });
  await next.load();
  expect(next.book(backup("a")).parts[""]?.runs).toHaveLength(2);
  expect(next.book(backup("b")).parts[""]?.runs).toHaveLength(1);
});

test("HistoryShelf leaves out what is not a history", async () => {
  const { client, state } = fakeCluster();
  state.data = {
    "backup.velero.schedule.a": "not JSON",
    "backup.velero.schedule.b": '{"version":2,"at":1,"parts":{"":{"version":2,"runs":[{"ms":"x"}]}}}',
    "backup.velero.schedule.c": "null",
  };
  const shelf = new HistoryShelf({ client, namespace: "velero" });
  await shelf.load();
  for (const name of ["a", "b", "c"]) expect(shelf.book(backup(name)).parts).toEqual({});
});

test("HistoryShelf tells of a failure and tries again with the next lesson", async () => {
  const { client, state } = fakeCluster();
  const errors: unknown[] = [];
  const broken = { ...client, patch: () => Promise.reject(new Error("away")) };
  let now: Pick<typeof client, "get" | "create" | "patch"> = broken;
  const shelf = new HistoryShelf({
    client: {
      get: client.get,
      create: client.create,
      patch: (resource, name, patch) => now.patch(resource, name, patch),
    },
    namespace: "velero",
    clock: new TestClock(),
    onError: (error) => errors.push(error),
  });
  shelf.learn(backup("a"), completed());
  await shelf.save();
  expect(errors).toHaveLength(1);
  now = client;
  shelf.learn(backup("b"), completed());
  await shelf.save();
  expect(Object.keys(state.data ?? {})).toEqual(
    expect.arrayContaining(["backup.velero.schedule.a", "backup.velero.schedule.b"]),
  );
});

test("overflow() drops the oldest beyond four hundred books and beyond 900 kB", () => {
  const book = (at: number, chars = 0) =>
    ({ version: 2, at, parts: { ["x".repeat(chars)]: { version: 2, runs: [] } } }) as const;
  const many = new Map(Array.from({ length: 403 }, (_, i) => [`k${i}`, book(i)] as const));
  expect(new Set(overflow(many))).toEqual(new Set(["k0", "k1", "k2"]));
  const large = new Map(Array.from({ length: 40 }, (_, i) => [`k${i}`, book(i, 30_000)] as const));
  const dropped = overflow(large);
  expect(dropped).toContain("k0");
  expect(dropped).not.toContain("k39");
  expect((40 - dropped.length) * 30_000).toBeLessThanOrEqual(900_000);
});

test("a stage run teaches the steps of the plan's final run, and not its whole", () => {
  const { client } = fakeCluster();
  const shelf = new HistoryShelf({ client, namespace: "velero", clock: new TestClock() });
  const run = (stage: boolean): MigMigration => ({
    apiVersion: "migration.openshift.io/v1alpha1",
    kind: "MigMigration",
    metadata: { name: stage ? "ahead" : "move", namespace: "velero" },
    spec: { stage, migPlanRef: { name: "shop" } },
  });
  const seen = (state: "running" | "completed"): Observation => ({
    id: "m",
    ref: { apiVersion: "v", kind: "MigMigration", name: "ahead" },
    kind: "stage",
    title: "m",
    state,
    rule: "steps",
    children: ["Prepare", "VolumeBackup"].map((id) => ({
      id,
      ref: { apiVersion: "v", kind: "MigMigration", name: "ahead" },
      kind: "step",
      title: id,
      state,
    })),
  });
  expect(shelf.book(run(false)).parts).toEqual({});
  shelf.learn(run(true), track(track(undefined, seen("running"), 1_000), seen("completed"), 61_000));
  expect(Object.keys(shelf.book(run(true)).parts)).toContain("");
  expect(Object.keys(shelf.book(run(false)).parts)).toEqual(["/Prepare", "/VolumeBackup"]);
  shelf.close();
});

test("the same namespaces teach each other, whatever the backup or its schedule is called", () => {
  const { client } = fakeCluster();
  const shelf = new HistoryShelf({ client, namespace: "velero", clock: new TestClock() });
  const named = (name: string, labels: Record<string, string> = {}, ns = "shop"): Backup => ({
    apiVersion: "velero.io/v1",
    kind: "Backup",
    metadata: { name, namespace: "velero", labels },
    spec: { includedNamespaces: [ns] },
  });
  shelf.learn(named("nightly-1", { "velero.io/schedule-name": "nightly" }), completed());
  expect(shelf.book(named("before-upgrade")).parts[""]?.runs).toHaveLength(1);
  expect(shelf.book(named("other", {}, "bank")).parts).toEqual({});
  shelf.close();
});

test("a volume's own copies teach in any backup", () => {
  const { client } = fakeCluster();
  const shelf = new HistoryShelf({ client, namespace: "velero", clock: new TestClock() });
  const volume = { kind: "podvolumebackup", title: "shop/db-0: data" };
  const ref = { apiVersion: "velero.io/v1", kind: "PodVolumeBackup", name: "b-x" };
  const seen = (done: number, state: "running" | "completed"): Observation => ({
    id: "b",
    ref,
    kind: "backup",
    title: "b",
    state,
    rule: "steps",
    children: [{ ...volume, id: "b/x", ref, state, progress: { unit: "bytes", done, total: 10 } }],
  });
  shelf.learn(backup("a"), track(track(undefined, seen(5, "running"), 1_000), seen(10, "completed"), 61_000));
  const other: Backup = {
    apiVersion: "velero.io/v1",
    kind: "Backup",
    metadata: { name: "by-hand", namespace: "velero" },
    spec: { includedNamespaces: ["shop", "bank"] },
  };
  const lessons = shelf.book(other);
  expect(lessons.parts).toEqual({});
  expect(lessons.volume?.(volume)?.runs).toHaveLength(1);
  const told = withHistory({ ...seen(0, "running") }, lessons, true);
  expect(told.children?.[0]?.history?.runs).toHaveLength(1);
  expect(lessons.volume?.({ ...volume, title: "shop/db-1: data" })).toBeUndefined();
  shelf.close();
});
