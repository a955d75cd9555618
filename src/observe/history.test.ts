import { expect, test } from "vitest";
import type { ActionSet, Backup, MigMigration, Restore } from "../api/index.ts";
import { type Observation, type Tracked, track } from "../progress/index.ts";
import {
  type HistoryBook,
  historyKey,
  historyKeys,
  learnBook,
  maxBookChars,
  withHistory,
} from "./history.ts";

const backup = (
  name: string,
  labels: Record<string, string> = {},
  includedNamespaces?: string[],
): Backup => ({
  apiVersion: "velero.io/v1",
  kind: "Backup",
  metadata: { name, namespace: "velero", labels },
  spec: { ...(includedNamespaces && { includedNamespaces }) },
});
const restore = (backupName: string): Restore => ({
  apiVersion: "velero.io/v1",
  kind: "Restore",
  metadata: { name: "r", namespace: "velero" },
  spec: { backupName },
});

test("historyKey() is the same for runs of the same thing, and safe as a key of a ConfigMap", () => {
  const labels = { "velero.io/schedule-name": "nightly" };
  expect(historyKey(backup("nightly-1", labels))).toBe(historyKey(backup("nightly-2", labels)));
  expect(historyKey(backup("nightly-1", labels))).toBe("backup.velero.schedule.nightly");
  expect(historyKey(backup("a", {}, ["x", "y"]))).toBe(historyKey(backup("b", {}, ["y", "x"])));
  expect(historyKey(backup("a", {}, ["x"]))).not.toBe(historyKey(backup("a", {}, ["y"])));
  expect(historyKey(restore("nightly-20260101000000"))).toBe(historyKey(restore("nightly-20260102000000")));
  const many = backup(
    "a",
    {},
    Array.from({ length: 80 }, (_, i) => `namespace-${i}`),
  );
  expect(historyKey(many)).toMatch(/^[-._a-zA-Z0-9]{1,253}$/);
  expect(historyKey(backup("a", {}, ["*"]))).toMatch(/^[-._a-zA-Z0-9]{1,253}$/);
  expect(historyKey(backup("a", {}, ["*"]))).not.toBe(historyKey(backup("a", {}, ["_"])));
  // Servers write the asterisk into what people left empty, while the run is under way.
  expect(historyKey(backup("a", {}, ["*"]))).toBe(historyKey(backup("a", {})));
  const all = { ...restore("b"), spec: { backupName: "b", includedNamespaces: ["*"] } };
  expect(historyKeys(all)).toEqual(historyKeys(restore("b")));
  const set: ActionSet = {
    apiVersion: "cr.kanister.io/v1alpha1",
    kind: "ActionSet",
    metadata: { name: "s-x7f", namespace: "kanister" },
    spec: { actions: [{ name: "backup", blueprint: "pg", object: { namespace: "shop", name: "db" } }] },
  };
  expect(historyKey(set)).toMatch(/^actionset\.kanister\.backup\.pg\.shop_db\.[0-9a-f]{16}$/);
  const migration = (stage: boolean): MigMigration => ({
    apiVersion: "migration.openshift.io/v1alpha1",
    kind: "MigMigration",
    metadata: { name: "m", namespace: "mig" },
    spec: { migPlanRef: { name: "p" }, stage },
  });
  expect(historyKey(migration(true))).not.toBe(historyKey(migration(false)));
});

const ref = { apiVersion: "velero.io/v1", kind: "Backup", namespace: "velero", name: "b", uid: "u" };

function run(done: number, end: boolean, volume: string): Observation {
  const state = end ? ("completed" as const) : ("running" as const);
  const progress = { unit: "bytes" as const, done, total: 100 };
  const leaf = (id: string, title: string) => ({ id, ref, kind: "x", title, state, progress });
  const volumes = { id: "volumes", ref, kind: "volumes", title: "volumes", rule: "sum" as const };
  return {
    id: "backup/velero/b",
    ref,
    kind: "backup",
    title: "b",
    state,
    rule: "steps",
    children: [leaf("items", "items"), { ...volumes, children: [leaf(volume, "shop/db: data")] }],
  };
}

function past(volume: string, book?: HistoryBook): Tracked {
  let tracked: Tracked | undefined;
  for (let i = 0; i <= 10; i++) {
    tracked = track(tracked, withHistory(run(i * 10, i === 10, volume), book, true), 1_000_000 + i * 10_000);
  }
  if (!tracked) throw new Error("nothing was tracked");
  return tracked;
}

test("learnBook() teaches the whole and each part, a volume by what it is and not by its object", () => {
  const book = learnBook(undefined, past("podvolumebackup/velero/b-1"), 5);
  expect(Object.keys(book?.parts ?? {})).toEqual(["", "/items", "/volumes", "/volumes/shop/db: data"]);
  const next = withHistory(run(0, false, "podvolumebackup/velero/b-2"), book, true);
  expect(next.history?.runs).toHaveLength(1);
  expect(next.children?.[1]?.children?.[0]?.history?.runs[0]).toMatchObject({ ms: 100_000, units: 100 });
  expect(next.children?.map((child) => child.weight)).toEqual([100, 100]);
  const first = track(undefined, next, 9_000_000).operation;
  expect(first.eta, "from the first second").toMatchObject({ seconds: expect.closeTo(100, -1) });
});

test("withHistory() leaves the weights of a run that is under way alone", () => {
  const book = learnBook(undefined, past("v/1"), 5);
  const next = withHistory(run(0, false, "v/2"), book, false);
  expect(next.children?.map((child) => child.weight)).toEqual([undefined, undefined]);
  expect(withHistory(run(0, false, "v/2"), undefined, true)).toEqual(run(0, false, "v/2"));
});

test("learnBook() takes nothing from a run that failed", () => {
  const failed = track(undefined, { ...run(5, false, "v/1"), state: "failed" }, 1);
  expect(learnBook(undefined, failed, 1)).toBeUndefined();
});

test("learnBook() keeps within its limit however many volumes there are", () => {
  const children = Array.from({ length: 500 }, (_, i) => ({
    ...run(100, true, "v/1").children?.[0],
    id: `podvolumebackup/velero/${i}`,
    ref,
    kind: "x",
    title: `volume ${i} ${"long".repeat(40)}`,
  }));
  let book: HistoryBook | undefined;
  for (let i = 0; i < 10; i++) {
    const tracked = track(
      track(undefined, { ...run(0, false, "x"), children }, 1),
      { ...run(0, true, "x"), children },
      60_000,
    );
    book = learnBook(book, tracked, i);
  }
  expect(JSON.stringify(book).length).toBeLessThanOrEqual(maxBookChars);
  expect(book?.parts[""]?.runs).toHaveLength(8);
});
