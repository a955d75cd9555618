import { expect, test } from "vitest";
import { MemoryStore } from "../../store/index.ts";
import type { Folder } from "./folder.ts";
import { planRepair, type Removal, repair } from "./repair.ts";

const day = 86_400_000;
const folder = (newestMs?: number): Folder => ({
  name: "x",
  objects: 1,
  bytes: 3,
  keys: [],
  ...(newestMs !== undefined && { newestMs }),
});

test("planRepair() leaves what is young, and what has no time", () => {
  const one = (name: string, newestMs?: number) => ({ name, folder: folder(newestMs) });
  const plan = planRepair({
    halves: [one("old", 0), one("young", 9 * day), one("timeless")],
    unused: [one("kopia/old", 0), one("kopia/young", 9 * day), one("kopia/timeless")],
    nowMs: 10 * day,
  });
  expect(plan.map(({ prefix }) => prefix)).toEqual(["backups/old/", "kopia/old/"]);
});

test("repair() removes what was planned, nothing beside it, and nothing that has changed", async () => {
  const store = new MemoryStore();
  for (const key of ["backups/a/log", "backups/a2/log", "kopia/shop/p1"])
    await store.put(key, Buffer.from("abc"));
  const removal = (prefix: string, bytes = 3): Removal => ({
    what: "half-uploaded backup",
    prefix,
    objects: 1,
    bytes,
    reason: "",
  });
  const done: [string, boolean][] = [];
  await repair(
    store,
    [removal("backups/a/"), removal("kopia/shop/", 2)],
    ({ prefix }, isRemoved) => done.push([prefix, isRemoved]),
    new AbortController().signal,
  );
  expect(done).toEqual([
    ["backups/a/", true],
    ["kopia/shop/", false],
  ]);
  const left: string[] = [];
  for await (const entry of store.list("")) if ("object" in entry) left.push(entry.object.key);
  expect(left).toEqual(["backups/a2/log", "kopia/shop/p1"]);
});
