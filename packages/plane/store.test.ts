import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Change, Compacted, Store } from "./store.ts";

let folder: string;
let store: Store;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "store-"));
  store = new Store(join(folder, "state.db"));
});

afterEach(() => {
  store.close();
  rmSync(folder, { recursive: true });
});

const key = (name: string, namespace = "n") => ({ resource: "things", namespace, name });
const put = (name: string, text = name): number => store.write(key(name), (rev) => `${text}@${rev}`).rev;
const drop = (name: string): number => store.write(key(name), (rev) => `gone@${rev}`, true).rev;
const values = (at?: number): string[] =>
  store.list({ resource: "things", ...(at !== undefined && { at }) }).map((row) => row.value);

test("write() numbers versions and get() reads the newest", () => {
  expect([put("a"), put("b"), put("a", "x")]).toEqual([1, 2, 3]);
  expect(store.get(key("a"))).toMatchObject({ rev: 3, value: "x@3" });
  expect(store.get(key("a", "other"))).toBeUndefined();
});

test("list() shows any moment of the history", () => {
  put("b");
  put("a");
  put("b", "x");
  drop("a");
  expect([values(), values(1), values(2), values(3), values(4)]).toEqual([
    ["x@3"],
    ["b@1"],
    ["a@2", "b@1"],
    ["a@2", "x@3"],
    ["x@3"],
  ]);
});

test("list() pages in the order of namespace and name", () => {
  for (const name of ["c", "a", "b"]) put(name);
  const first = store.list({ resource: "things", limit: 2 });
  expect(first.map((row) => row.name)).toEqual(["a", "b"]);
  const rest = store.list({ resource: "things", limit: 2, after: { namespace: "n", name: "b" } });
  expect(rest.map((row) => row.name)).toEqual(["c"]);
  expect(store.count({ resource: "things", after: { namespace: "n", name: "a" } })).toBe(2);
});

test("changes() tells the history with what was there before", () => {
  put("a");
  put("a", "x");
  drop("a");
  put("a", "again");
  expect(store.changes("things", 0, 10).map(({ type, value, before }) => [type, value, before])).toEqual([
    ["ADDED", "a@1", undefined],
    ["MODIFIED", "x@2", "a@1"],
    ["DELETED", "gone@3", "x@2"],
    ["ADDED", "again@4", undefined],
  ]);
  expect(store.changes("things", 3, 10)).toHaveLength(1);
});

test("compact() forgets the past, keeps the present and what later changes refer to", () => {
  put("a");
  put("a", "x");
  put("a", "y");
  store.compact(2);
  expect(() => store.changes("things", 1, 10)).toThrow(Compacted);
  expect(() => values(1)).toThrow(Compacted);
  expect(store.changes("things", 2, 10)).toMatchObject([{ type: "MODIFIED", value: "y@3", before: "x@2" }]);
  expect(values()).toEqual(["y@3"]);
});

test("a new process goes on where the old one ended, even when the newest change was compacted away", () => {
  put("a");
  drop("a");
  store.compact(2);
  store.close();
  store = new Store(join(folder, "state.db"));
  expect([store.rev, store.compacted]).toEqual([2, 2]);
  expect(put("b")).toBe(3);
});

test("subscribe() delivers in order, also when a listener writes", () => {
  const seen: Change[] = [];
  store.subscribe((change) => {
    if (change.name === "a") put("b");
  });
  const stop = store.subscribe((change) => void seen.push(change));
  put("a");
  stop();
  put("c");
  expect(seen.map(({ name, rev }) => [name, rev])).toEqual([
    ["a", 1],
    ["b", 2],
  ]);
});
