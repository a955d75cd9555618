import { expect, test } from "vitest";
import { settle, TestClock } from "../../test/harness/clock.ts";
import { type KubeObject, kinds } from "../api/index.ts";
import { Cache } from "./cache.ts";
import type { Page } from "./list.ts";
import type { Resource } from "./resource.ts";
import type { WatchEvent } from "./watch.ts";

/** A server with some Backups; it counts who lists and who watches, and where. */
function server(...objects: readonly KubeObject[]) {
  const asked: string[] = [];
  let say: (event: WatchEvent) => void = () => undefined;
  const client = {
    async *pages<T extends KubeObject>(
      resource: Resource,
      query: { readonly namespace?: string | undefined },
    ) {
      asked.push(`list ${resource.plural} ${query.namespace ?? "*"}`);
      yield { items: objects as unknown as T[], resourceVersion: "1" } as Page<T>;
    },
    async *watch<T extends KubeObject>(_resource: Resource, _query: unknown, signal?: AbortSignal) {
      const events: WatchEvent[] = [];
      let wake = () => {};
      say = (event) => {
        events.push(event);
        wake();
      };
      while (!signal?.aborted) {
        for (const event of events.splice(0)) yield event as WatchEvent<T>;
        await new Promise<void>((resolve) => {
          wake = resolve;
          signal?.addEventListener("abort", () => resolve(), { once: true });
        });
      }
    },
  };
  const tell = (type: "ADDED" | "MODIFIED" | "DELETED", object: KubeObject, version: string) =>
    say({
      type,
      object: { ...object, metadata: { ...object.metadata, resourceVersion: version } },
      resourceVersion: version,
    });
  return { client, asked, tell };
}

function backup(namespace: string, name: string): KubeObject {
  const metadata = { namespace, name, uid: `${namespace}-${name}`, managedFields: [{}] };
  return { apiVersion: "velero.io/v1", kind: "Backup", metadata } as KubeObject; // managed fields are not in the type
}

test("Cache watches a kind once, however many look, and each sees its own part", async () => {
  const { client, asked, tell } = server(backup("a", "one"), backup("b", "two"));
  const cache = new Cache({ client, clock: new TestClock() });
  const stop = new AbortController();
  const seen: string[] = [];
  const wide = cache.view(kinds.Backup, { onChange: (key) => void seen.push(`wide ${key}`) });
  const narrow = cache.view(kinds.Backup, {
    namespace: "b",
    onChange: (key, now) => void seen.push(`b ${key} ${now ? "there" : "gone"}`),
  });
  const running = [wide.run(stop.signal), narrow.run(stop.signal)];
  await narrow.synced();
  expect(asked).toEqual(["list backups *"]);
  expect(cache.watches).toBe(1);
  expect([...wide.objects()].map(({ metadata }) => metadata.name)).toEqual(["one", "two"]);
  expect([...narrow.objects()].map(({ metadata }) => metadata.name)).toEqual(["two"]);
  expect(narrow.get("a/one")).toBeUndefined();
  expect([...narrow.objects()][0]).not.toHaveProperty("metadata.managedFields");
  await settle();
  tell("DELETED", backup("b", "two"), "2");
  tell("MODIFIED", backup("a", "one"), "3");
  await settle();
  expect(seen).toEqual([
    "wide a/one",
    "wide b/two",
    "b b/two there",
    "wide b/two",
    "b b/two gone",
    "wide a/one",
  ]);
  stop.abort();
  await Promise.all(running);
  expect(cache.watches).toBe(0);
});

test("who wants one namespace waits for no second watch, also when it runs before the one who wants all", async () => {
  const { client, asked } = server(backup("a", "one"), backup("b", "two"));
  const cache = new Cache({ client, clock: new TestClock() });
  const stop = new AbortController();
  const wide = cache.view(kinds.Backup);
  const narrow = cache.view(kinds.Backup, { namespace: "b" });
  const running = [narrow.run(stop.signal), wide.run(stop.signal)];
  await Promise.all([narrow.synced(), wide.synced()]);
  expect(asked).toEqual(["list backups *"]);
  expect([...narrow.objects()].map(({ metadata }) => metadata.name)).toEqual(["two"]);
  stop.abort();
  await Promise.all(running);
});

test("a view that comes later is told of what is there already", async () => {
  const { client, asked } = server(backup("a", "one"));
  const cache = new Cache({ client, clock: new TestClock() });
  const [first, second] = [new AbortController(), new AbortController()];
  const early = cache.view(kinds.Backup);
  const running = early.run(first.signal);
  await early.synced();
  const seen: string[] = [];
  const late = cache.view(kinds.Backup, { namespace: "a", onChange: (key) => void seen.push(key) });
  const alsoRunning = late.run(second.signal);
  await late.synced();
  expect(seen).toEqual(["a/one"]);
  second.abort();
  await alsoRunning;
  expect(cache.watches, "the other one still looks").toBe(1);
  first.abort();
  await running;
  expect(asked).toHaveLength(1);
});

test("an object that a view no longer wants is gone for it", async () => {
  const { client, tell } = server(backup("a", "one"));
  const cache = new Cache({ client, clock: new TestClock() });
  const stop = new AbortController();
  const seen: (string | undefined)[] = [];
  const view = cache.view(kinds.Backup, {
    where: ({ metadata }) => metadata.labels?.["keep"] !== "no",
    onChange: (_key, now, before) => void seen.push(now ? "there" : before ? "gone" : undefined),
  });
  const running = view.run(stop.signal);
  await view.synced();
  await settle();
  const changed = backup("a", "one");
  tell("MODIFIED", { ...changed, metadata: { ...changed.metadata, labels: { keep: "no" } } }, "2");
  tell("MODIFIED", { ...changed, metadata: { ...changed.metadata, labels: { keep: "no", x: "y" } } }, "3");
  await settle();
  expect(seen).toEqual(["there", "gone"]);
  stop.abort();
  await running;
});
