import { expect, test } from "vitest";
import { settle, TestClock } from "../../test/harness/clock.ts";
import type { KubeObject } from "../api/index.ts";
import { AppError } from "../errors.ts";
import { ApiError } from "./api-error.ts";
import { Informer, keyOf } from "./informer.ts";
import type { Page } from "./list.ts";
import type { WatchEvent } from "./watch.ts";

const resource = { group: "", version: "v1", plural: "things", kind: "Thing", namespaced: true };
const thing = (name: string, version: string): KubeObject => ({
  apiVersion: "v1",
  kind: "Thing",
  metadata: { name, namespace: "n", resourceVersion: version },
});
const event = (type: "ADDED" | "MODIFIED" | "DELETED", name: string, version: string): WatchEvent => ({
  type,
  object: thing(name, version),
  resourceVersion: version,
});
const gone = new ApiError("watch", { code: 410, reason: "Expired", message: "too old" });

type Step =
  | { readonly list: readonly (readonly KubeObject[])[] | Error; readonly version?: string }
  | { readonly watch: readonly (WatchEvent | Error)[] };

/** Plays a script of answers; when it is over, every request waits for the end. */
function play(steps: readonly Step[]) {
  const clock = new TestClock(0);
  const stop = new AbortController();
  const asked: string[] = [];
  const changes: string[] = [];
  const left = [...steps];
  const forever = () =>
    new Promise<never>((_, reject) =>
      stop.signal.addEventListener("abort", () => reject(stop.signal.reason)),
    );
  const informer = new Informer<KubeObject, string>({
    client: {
      async *pages<T extends KubeObject>(): AsyncGenerator<Page<T>> {
        asked.push("list");
        const step = left.shift();
        if (!step) await forever();
        if (!step || !("list" in step)) throw new Error("the script has a watch here");
        if (step.list instanceof Error) throw step.list;
        for (const items of step.list) {
          yield { items: items as readonly T[], resourceVersion: step.version ?? "1" };
        }
      },
      async *watch<T extends KubeObject>(
        _resource: unknown,
        query: { readonly resourceVersion?: string | undefined },
      ): AsyncGenerator<WatchEvent<T>> {
        asked.push(`watch ${query.resourceVersion}`);
        const step = left.shift();
        if (!step) await forever();
        if (!step || !("watch" in step)) throw new Error("the script has a list here");
        for (const one of step.watch) {
          if (one instanceof Error) throw one;
          yield one as WatchEvent<T>;
        }
      },
    },
    resource,
    project: (object) => object.metadata.resourceVersion ?? "",
    onChange: (key, now, before) => changes.push(`${key} ${before ?? "-"}>${now ?? "-"}`),
    clock,
    random: () => 1,
  });
  const over = informer.run(stop.signal);
  return { informer, clock, stop, asked, changes, over, end: () => (stop.abort(), over) };
}

test("Informer lists page by page, then follows the watch", async () => {
  const { informer, asked, changes, end } = play([
    { list: [[thing("a", "1")], [thing("b", "2")]], version: "5" },
    { watch: [event("MODIFIED", "a", "6"), event("DELETED", "b", "7"), event("ADDED", "c", "8")] },
  ]);
  await informer.synced();
  await settle();
  expect(changes).toEqual(["n/a ->1", "n/b ->2", "n/a 1>6", "n/b 2>-", "n/c ->8"]);
  expect([...informer.entries()]).toEqual([
    ["n/a", "6"],
    ["n/c", "8"],
  ]);
  expect([informer.size, informer.get("n/c"), asked]).toEqual([2, "8", ["list", "watch 5"]]);
  await end();
});

test("Informer holds 200,000 objects, and drops them all when they are gone", async () => {
  const pages = Array.from({ length: 400 }, (_, page) =>
    Array.from({ length: 500 }, (_, i) => thing(`t${page * 500 + i}`, `${i}`)),
  );
  const { informer, clock, end } = play([{ list: pages }, { watch: [gone] }, { list: [[]], version: "9" }]);
  await informer.synced();
  expect(informer.size).toBe(200_000);
  await clock.advance(1_000);
  expect(informer.size).toBe(0);
  await end();
});

test("Informer goes on from the last bookmark when a watch ends, without listing", async () => {
  const { asked, clock, end } = play([
    { list: [[]], version: "5" },
    { watch: [{ type: "BOOKMARK", resourceVersion: "90" }] },
    { watch: [new AppError("KUBE_UNREACHABLE", "reset")] },
  ]);
  await clock.advance(2_000);
  expect(asked).toEqual(["list", "watch 5", "watch 90", "watch 90"]);
  await end();
});

test("Informer lists again after 410, tells only what changed, and drops what is gone", async () => {
  const { changes, asked, clock, end } = play([
    { list: [[thing("a", "1"), thing("b", "2"), thing("c", "3")]], version: "5" },
    { watch: [gone] },
    { list: [[thing("a", "1"), thing("b", "9")]], version: "10" },
  ]);
  await settle();
  changes.length = 0;
  await clock.advance(1_000);
  expect(changes).toEqual(["n/b 2>9", "n/c 3>-"]);
  expect(asked).toEqual(["list", "watch 5", "list", "watch 10"]);
  await end();
});

test("Informer starts a list over when it expired between two pages", async () => {
  const { informer, clock, asked, end } = play([{ list: gone }, { list: [[thing("a", "1")]], version: "2" }]);
  await clock.advance(1_000);
  expect([informer.isSynced, asked]).toEqual([true, ["list", "list", "watch 2"]]);
  await end();
});

test("Informer survives ten minutes without a server, and asks ever more rarely", async () => {
  const away = new AppError("KUBE_UNREACHABLE", "refused");
  const { informer, clock, asked, end } = play([
    { list: [[thing("a", "1")]], version: "5" },
    ...Array.from({ length: 44 }, () => ({ watch: [away] })),
    { watch: [event("MODIFIED", "a", "6")] },
  ]);
  await clock.advance(600_000);
  expect(asked.length).toBeLessThan(50);
  await clock.advance(60_000);
  expect(informer.get("n/a")).toBe("6");
  await end();
});

test("Informer does not storm a server that ends every watch at once", async () => {
  const { clock, asked, end } = play([
    { list: [[]], version: "5" },
    ...Array.from({ length: 500 }, () => ({ watch: [] })),
  ]);
  await clock.advance(60_000);
  expect(asked.length).toBeLessThan(15);
  await end();
});

test("Informer of a kind that is not there is empty, and fills when it comes", async () => {
  const missing = new ApiError("list", { code: 404, reason: "NotFound", message: "no such kind" });
  const { informer, clock, end } = play([{ list: missing }, { list: [[thing("a", "1")]] }]);
  await informer.synced();
  expect(informer.size).toBe(0);
  await clock.advance(1_000);
  expect(informer.size).toBe(1);
  await end();
});

test("Informer forgets every object when its kind is taken away", async () => {
  const missing = new ApiError("watch", { code: 404, reason: "NotFound", message: "no such kind" });
  const { informer, changes, end } = play([{ list: [[thing("a", "1")]] }, { watch: [missing] }]);
  await settle();
  expect([informer.size, changes]).toEqual([0, ["n/a ->1", "n/a 1>-"]]);
  await end();
});

test("run() ends when its signal fires, and leaves no timer", async () => {
  const { clock, end } = play([{ list: new Error("no") }]);
  await settle();
  await end();
  expect(clock.waiting).toBe(0);
});

test("synced() can be given up", async () => {
  const { informer, end } = play([]);
  await expect(informer.synced(AbortSignal.abort(new Error("enough")))).rejects.toThrow("enough");
  const stop = new AbortController();
  const synced = informer.synced(stop.signal);
  stop.abort(new Error("enough"));
  await expect(synced).rejects.toThrow("enough");
  await end();
});

test("keyOf() is the name, below its namespace where there is one", () => {
  expect(keyOf(thing("a", "1"))).toBe("n/a");
  expect(keyOf({ metadata: { name: "node" } })).toBe("node");
});
