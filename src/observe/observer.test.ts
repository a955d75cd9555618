import { expect, test } from "vitest";
import { settle, TestClock } from "../../test/harness/clock.ts";
import type { Backup, KubeObject } from "../api/index.ts";
import { Cache, type Page, type Resource, type WatchEvent } from "../kube/index.ts";
import { type Frame, Observer } from "./observer.ts";

/** A cluster in memory that lists what it has and tells what changes. */
function fakeCluster(signal: AbortSignal) {
  const objects = new Map<string, KubeObject>();
  const watchers = new Map<string, (event: WatchEvent) => void>();
  let version = 1;
  const client = {
    async *pages<T extends KubeObject>(resource: Resource): AsyncGenerator<Page<T>> {
      const items = [...objects.values()].filter((object) => object.kind === resource.kind);
      yield { items: items as T[], resourceVersion: String(version) };
    },
    async *watch<T extends KubeObject>(resource: Resource): AsyncGenerator<WatchEvent<T>> {
      const queue: WatchEvent[] = [];
      let wake = () => {};
      watchers.set(resource.kind, (event) => {
        queue.push(event);
        wake();
      });
      while (!signal.aborted) {
        for (const event of queue.splice(0)) yield event as WatchEvent<T>;
        await new Promise<void>((resolve) => {
          wake = resolve;
          signal.addEventListener("abort", () => resolve(), { once: true });
        });
      }
    },
  };
  const tell = (type: "ADDED" | "MODIFIED" | "DELETED", object: KubeObject) => {
    version += 1;
    const stored = { ...object, metadata: { ...object.metadata, resourceVersion: String(version) } };
    if (type === "DELETED") objects.delete(object.kind + object.metadata.name);
    else objects.set(object.kind + object.metadata.name, stored);
    watchers.get(object.kind)?.({ type, object: stored, resourceVersion: String(version) });
  };
  return { client, tell };
}

function backup(status: object): KubeObject {
  const metadata = { name: "nightly", namespace: "velero", uid: "u1", labels: {} };
  return Object.assign({ apiVersion: "velero.io/v1", kind: "Backup", metadata }, { status });
}

function volume(status: object): KubeObject {
  const metadata = {
    name: "nightly-1",
    namespace: "velero",
    uid: "v1",
    labels: { "velero.io/backup-name": "nightly" },
  };
  const spec = { node: "n", volume: "data", pod: { namespace: "shop", name: "db-0" } };
  return Object.assign({ apiVersion: "velero.io/v1", kind: "PodVolumeBackup", metadata }, { spec, status });
}

async function open() {
  const stop = new AbortController();
  const clock = new TestClock();
  const cluster = fakeCluster(stop.signal);
  const observer = new Observer({ cache: new Cache({ client: cluster.client, clock }), clock });
  const frames: Frame[] = [];
  observer.subscribe((frame) => void frames.push(frame));
  return { stop, clock, cluster, observer, frames, run: () => observer.run(stop.signal) };
}

test("Observer joins a backup and its volumes and tells of changes", async () => {
  const { stop, clock, cluster, observer, frames, run } = await open();
  cluster.tell("ADDED", volume({ phase: "InProgress", progress: { bytesDone: 1, totalBytes: 4 } }));
  cluster.tell("ADDED", backup({ phase: "InProgress" }));
  const done = run();
  await observer.synced();
  expect(observer.operation("backup/velero/nightly")).toMatchObject({
    title: "Backup nightly",
    state: "running",
    children: [{ id: "items" }, { id: "volumes", progress: { done: 1, total: 4 } }, { id: "finish" }],
  });
  await settle();
  cluster.tell("MODIFIED", volume({ phase: "InProgress", progress: { bytesDone: 3, totalBytes: 4 } }));
  await clock.advance(60);
  expect(frames.at(-1)?.operation?.children[1]).toMatchObject({ progress: { done: 3, total: 4 } });
  cluster.tell("DELETED", backup({ phase: "Completed" }));
  await clock.advance(60);
  expect(frames.at(-1)).toEqual({ id: "backup/velero/nightly" });
  expect(observer.operations()).toEqual([]);
  stop.abort();
  await done;
});

test("Observer folds a burst into one frame", async () => {
  const { stop, clock, cluster, observer, frames, run } = await open();
  const done = run();
  await observer.synced();
  await settle();
  for (let i = 1; i <= 50; i++) {
    cluster.tell("MODIFIED", backup({ phase: "InProgress", progress: { totalItems: 50, itemsBackedUp: i } }));
  }
  await clock.advance(60);
  expect(frames).toHaveLength(1);
  expect(frames[0]?.operation?.children[0]).toMatchObject({ progress: { done: 50, total: 50 } });
  stop.abort();
  await done;
});

test("Observer takes what an engine of the same process reports", async () => {
  const { stop, clock, cluster, observer, frames, run } = await open();
  cluster.tell("ADDED", backup({ phase: "InProgress" }));
  const done = run();
  await observer.synced();
  const ref = { apiVersion: "velero.io/v1", kind: "Backup", namespace: "velero", name: "nightly", uid: "u1" };
  const id = "backup/velero/nightly";
  const part = { id: "collect", ref, kind: "collect", title: "collecting", state: "running" as const };
  const object = backup({ phase: "InProgress" }) as Backup;
  observer.report(object, { id, ref, kind: "backup", title: "nightly", state: "running", children: [part] });
  await clock.advance(60);
  expect(frames.at(-1)?.operation?.children.map((child) => child.id)).toEqual(["collect"]);
  observer.report(object, { id, ref, kind: "backup", title: "nightly", state: "completed" });
  cluster.tell("MODIFIED", backup({ phase: "Completed" }));
  await clock.advance(60);
  const last = frames.at(-1)?.operation;
  expect(last?.state).toBe("completed");
  expect(last?.children, "the last word has no steps: they stay").toMatchObject([
    { id: "collect", state: "completed" },
  ]);
  stop.abort();
  await done;
});
