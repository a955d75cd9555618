import { expect, test } from "vitest";
import { TestClock } from "../../test/harness/clock.ts";
import type { Backup, KubeObject } from "../api/index.ts";
import {
  Cache,
  type Patch,
  type Resource,
  StatusWriter,
  stretching,
  type WatchEvent,
  writeBudget,
} from "../kube/index.ts";
import { Observer } from "./observer.ts";
import { Publisher } from "./publisher.ts";

const type = { apiVersion: "velero.io/v1", kind: "Backup" } as const;
const metadata = { name: "b", namespace: "velero", uid: "u1" };
const nothing: KubeObject & { readonly status?: object } = { ...type, metadata };

/** A server with one backup that changes as often as a test says, and that counts what is written to it. */
function world() {
  const clock = new TestClock(1_800_000_000_000);
  const stop = new AbortController();
  const objects = new Map<string, KubeObject & { readonly status?: object }>([
    ["Backup", { ...type, metadata: { ...metadata, resourceVersion: "1" } }],
  ]);
  const waiting = new Map<string, (event: WatchEvent<KubeObject>) => void>();
  let version = 1;
  const counts = { creates: 0, patches: 0 };
  const set = (kind: string, object: KubeObject & { readonly status?: object }) => {
    version += 1;
    const resourceVersion = String(version);
    const now = { ...object, metadata: { ...object.metadata, resourceVersion } };
    objects.set(kind, now);
    waiting.get(kind)?.({ type: "MODIFIED", object: now, resourceVersion });
    return now;
  };
  const client = {
    async *pages<T extends KubeObject>({ kind }: Resource) {
      const found = objects.get(kind);
      yield { items: (found ? [found] : []) as KubeObject[] as T[], resourceVersion: "1" };
    },
    // Changes that come before the last one was taken replace it: an object has one newest state.
    async *watch<T extends KubeObject>({ kind }: Resource): AsyncGenerator<WatchEvent<T>> {
      let newest: WatchEvent<KubeObject> | undefined;
      let wake: () => void = () => undefined;
      waiting.set(kind, (event) => {
        newest = event;
        wake();
      });
      stop.signal.addEventListener("abort", () => wake(), { once: true });
      while (!stop.signal.aborted) {
        if (!newest) await new Promise<void>((resolve) => (wake = resolve));
        const event = newest;
        newest = undefined;
        if (event) yield event as WatchEvent<T>;
      }
    },
    create: <T extends KubeObject>({ kind }: Resource, object: unknown): Promise<T> => {
      counts.creates += 1;
      const given = object as T;
      return Promise.resolve(set(kind, { ...given, metadata: { ...given.metadata, uid: "op" } }) as T);
    },
    patch: <T extends KubeObject>({ kind }: Resource, _name: string, patch: Patch): Promise<T> => {
      counts.patches += 1;
      const before = objects.get(kind) ?? nothing;
      const { status } = patch.body as { status: object };
      return Promise.resolve(
        set(kind, { ...before, status: { ...before.status, ...status } }) as KubeObject as T,
      );
    },
    get: () => Promise.reject(new Error("nothing is read one by one")),
    delete: () => Promise.reject(new Error("nothing is deleted")),
  };
  const change = (status: NonNullable<Backup["status"]>) => {
    const before = objects.get("Backup") ?? nothing;
    set("Backup", { ...before, status: { ...before.status, ...status } });
  };
  return { clock, stop, client, counts, change };
}

test.each([
  [60, 100],
  [1_800, 1_000],
])(
  "an operation of %i s that changes every %i ms is written within the budget",
  { timeout: 120_000 },
  async (seconds, everyMs) => {
    const { clock, stop, client, counts, change } = world();
    const observer = new Observer({ cache: new Cache({ client, clock }), clock, author: () => "velero" });
    const status = new StatusWriter({ client, clock });
    const publisher = new Publisher({
      client,
      observer,
      author: "velero",
      status,
      clock,
      log: () => undefined,
    });
    const running = [observer.run(stop.signal), publisher.run(stop.signal)];
    await clock.advance(100);
    const begun = clock.now();
    change({ phase: "InProgress", startTimestamp: new Date(begun).toISOString() });
    const steps = (seconds * 1000) / everyMs;
    for (let i = 1; i <= steps; i += 1) {
      change({ progress: { totalItems: steps * 2, itemsBackedUp: i } });
      await clock.advance(everyMs);
    }
    change({ phase: "Completed", completionTimestamp: new Date(clock.now()).toISOString() });
    await clock.advance(15_000);
    stop.abort();
    await Promise.all(running);
    // Two changes of state: it began, it ended.
    const budget = writeBudget(seconds * 1000, 2, stretching);
    expect(counts.creates).toBe(1);
    expect(counts.patches).toBeGreaterThan(seconds / 20);
    expect(counts.creates + counts.patches).toBeLessThanOrEqual(budget);
  },
);
