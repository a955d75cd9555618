import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { TestClock } from "../../test/harness/clock.ts";
import { eventually } from "../../test/harness/eventually.ts";
import type { Backup, BackupStorageLocation } from "../api/index.ts";
import type { Cache, Client, View } from "../kube/index.ts";
import { HistoryShelf } from "../observe/index.ts";
import { OperationStore } from "../observe/operation-store.ts";
import { type Tracked, track } from "../progress/index.ts";
import { backupKey, MemoryStore, storedJson } from "../store/index.ts";
import { HistoryCourier } from "./history-courier.ts";

const backup = (name: string, phase: "InProgress" | "Completed" | "Deleting"): Backup => ({
  apiVersion: "velero.io/v1",
  kind: "Backup",
  metadata: { name, namespace: "velero", uid: name },
  spec: { storageLocation: "default" },
  status: { phase },
});
const location: BackupStorageLocation = {
  apiVersion: "velero.io/v1",
  kind: "BackupStorageLocation",
  metadata: { name: "default", namespace: "velero" },
};
const parcel = { version: 2 as const, volumes: {} };
const completed = { operation: { state: "completed" }, memory: { children: [] } } as unknown as Tracked; // all that is looked at
const limits = { packedBytes: 1e6, bytes: 1e6, values: 1e4, depth: 9 };

/** A courier between a shelf and a store; `show` lets it see a backup. */
function world(
  store = new MemoryStore(),
  shelf?: HistoryShelf,
  known: (key: string) => Backup | undefined = (key) =>
    key === "velero/b" ? backup("b", "Completed") : undefined,
) {
  const adopted: string[] = [];
  const errors: unknown[] = [];
  let show: (backup: Backup) => void = () => undefined;
  const view = (_: unknown, options: NonNullable<Parameters<typeof Cache.prototype.view<Backup>>[1]>) => {
    show = (shown) => options.onChange?.(`velero/${shown.metadata.name}`, shown, undefined);
    const run = (signal: AbortSignal) =>
      new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
    return { run, get: known } as View<Backup>;
  };
  const courier = new HistoryCourier({
    client: { get: () => Promise.resolve(location) } as unknown as Pick<Client, "get">,
    cache: { view } as unknown as Cache,
    namespace: "velero",
    openStore: () => Promise.resolve(store),
    shelf: shelf ?? { parcel: () => parcel, adopt: (from) => adopted.push(from.metadata.name) },
    onError: (error) => errors.push(error),
  });
  const stop = new AbortController();
  const done = courier.run(stop.signal);
  return { store, adopted, errors, courier, show: (each: Backup) => show(each), stop, done };
}

test("a backup that was made elsewhere brings what its runs taught, once", async () => {
  const { store, adopted, errors, show, stop, done } = world();
  await store.put(backupKey("b", "history"), gzipSync(JSON.stringify(parcel)));
  show(backup("b", "InProgress"));
  show(backup("b", "Completed"));
  show(backup("b", "Completed"));
  show(backup("without", "Completed"));
  await eventually(
    () => adopted,
    (all) => all.length > 0,
  );
  stop.abort();
  await done;
  expect(adopted).toEqual(["b"]);
  expect(errors).toEqual([]);
});

test("what lies there and is no parcel is told or passed over, never taken", async () => {
  const { store, adopted, errors, show, stop, done } = world();
  await store.put(backupKey("bomb", "history"), Buffer.from("no gzip"));
  await store.put(backupKey("odd", "history"), gzipSync('{"version":9}'));
  show(backup("bomb", "Completed"));
  show(backup("odd", "Completed"));
  await eventually(
    () => errors,
    (all) => all.length > 0,
  );
  stop.abort();
  await done;
  expect(adopted).toEqual([]);
});

test("when a backup or a restore of it has ended, its lessons are stored beside it", async () => {
  const { store, courier, stop, done } = world();
  const key = backupKey("b", "history");
  courier.ended(
    { apiVersion: "velero.io/v1", kind: "Restore", metadata: { name: "r" }, spec: { backupName: "b" } },
    completed,
  );
  await eventually(
    () => store.head(key),
    (found) => found !== undefined,
  );
  expect(await storedJson(store, key, { limits, packed: true })).toEqual(parcel);
  stop.abort();
  await done;
});

const again: Backup = { ...backup("b", "Completed"), metadata: { name: "b", uid: "another" } };
test.each<[string, Backup | undefined]>([
  ["is being deleted", backup("b", "Deleting")],
  ["is gone", undefined],
  ["was deleted and made again", again],
])("a backup that %s gets no file that nobody would delete", async (_, now) => {
  const shown = [backup("b", "Completed")]; // as it was when the first file was begun
  const { store, courier, stop, done } = world(undefined, undefined, (key) =>
    key === "velero/last" ? backup("last", "Completed") : (shown.pop() ?? now),
  );
  for (const name of ["b", "b", "last"]) courier.ended(backup(name, "Completed"), completed);
  // One file at a time: when the last is there, the others have had their turn.
  await eventually(
    () => store.head(backupKey("last", "history")),
    (found) => found !== undefined,
  );
  stop.abort();
  await done;
  expect(await store.head(backupKey("b", "history"))).toBeUndefined();
});

/** A backup of one volume, from its start to its end a minute later. */
function aMinute(): Tracked {
  const ref = { apiVersion: "velero.io/v1", kind: "Backup", name: "b" };
  const seen = (done: number, state: "running" | "completed") => {
    const progress = { unit: "bytes" as const, done, total: 600 };
    const volume = { ref, state, id: "v/x", kind: "podvolumebackup", title: "shop/db-0: data", progress };
    return { ref, state, id: "b", kind: "backup", title: "b", rule: "steps" as const, children: [volume] };
  };
  let tracked = track(undefined, seen(0, "running"), 1);
  for (let second = 1; second < 60; second++)
    tracked = track(tracked, seen(10 * second, "running"), second * 1000);
  return track(tracked, seen(600, "completed"), 60_000);
}

test("a restore in a cluster that has never seen the application has an estimate from its first second", async () => {
  const client = {
    get: () => Promise.reject(new Error("no ConfigMap")),
    patch: () => Promise.resolve({}),
    create: () => Promise.resolve({}),
  } as unknown as Client;
  const shelfOf = () => new HistoryShelf({ client, namespace: "velero", clock: new TestClock() });
  const [here, there] = [shelfOf(), shelfOf()];
  const bucket = new MemoryStore();
  const [first, second] = [world(bucket, here), world(bucket, there)];
  const made = backup("b", "Completed");
  here.learn(made, aMinute());
  first.courier.ended(made, aMinute());
  await eventually(
    () => bucket.head(backupKey("b", "history")),
    (found) => found !== undefined,
  );
  second.show(made);
  const restore = {
    apiVersion: "velero.io/v1" as const,
    kind: "Restore" as const,
    metadata: { name: "r", namespace: "velero", uid: "r" },
    spec: { backupName: "b" },
  };
  await eventually(
    () => there.book(restore).parts[""],
    (found) => found !== undefined,
  );
  const store = new OperationStore({ book: (object) => there.book(object) });
  const status = { phase: "InProgress" as const, startTimestamp: "2026-11-16T10:00:00Z" };
  const id = store.setRoot({ ...restore, status });
  const eta = store.refresh(id, Date.UTC(2026, 10, 16, 10, 0, 1))?.eta;
  expect(eta).toMatchObject({ seconds: expect.closeTo(60, -1) });
  for (const { stop, done } of [first, second]) {
    stop.abort();
    await done;
  }
  here.close();
  there.close();
});
