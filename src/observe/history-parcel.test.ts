import { expect, test } from "vitest";
import type { Backup, Restore } from "../api/index.ts";
import { type Observation, type Tracked, track } from "../progress/index.ts";
import { type HistoryBook, historyKey, learnBook, volumeKey } from "./history.ts";
import { packed, readParcel, unpacked } from "./history-parcel.ts";

const backup = (name: string): Backup => ({
  apiVersion: "velero.io/v1",
  kind: "Backup",
  metadata: { name, namespace: "velero" },
  spec: { includedNamespaces: ["shop"] },
});
const restore: Restore = {
  apiVersion: "velero.io/v1",
  kind: "Restore",
  metadata: { name: "r", namespace: "velero" },
  spec: { backupName: "b" },
};
const ref = { apiVersion: "velero.io/v1", kind: "Backup", name: "b" };

/** A backup with one volume that took a minute. */
function made(): Tracked {
  const seen = (done: number, state: "running" | "completed"): Observation => {
    const common = { ref, state, startedAt: 1 };
    const volume = {
      ...common,
      id: "podvolumebackup/velero/b-x",
      kind: "podvolumebackup",
      title: "shop/db-0: data",
      progress: { unit: "bytes" as const, done, total: 600 },
    };
    const volumes = { ...common, id: "volumes", kind: "volumes", title: "volumes", rule: "sum" as const };
    return {
      ...common,
      id: "b",
      kind: "backup",
      title: "b",
      rule: "steps",
      children: [{ ...volumes, children: [volume] }],
    };
  };
  let tracked = track(undefined, seen(0, "running"), 1);
  for (let s = 1; s < 60; s++) tracked = track(tracked, seen(10 * s, "running"), s * 1000);
  return track(tracked, seen(600, "completed"), 60_000);
}

function shelf(tracked: Tracked): Map<string, HistoryBook> {
  const [step] = tracked.operation.children;
  const [volume] = step?.children ?? [];
  const memory = tracked.memory.children[0]?.children[0];
  const whole = learnBook(undefined, tracked, 60_000);
  if (!volume || !memory || !whole) throw new Error("nothing was learned");
  const copy = learnBook(undefined, { operation: volume, memory }, 60_000);
  return new Map([[historyKey(backup("b")), whole], ...(copy ? [[volumeKey(volume), copy] as const] : [])]);
}

test("a parcel has what the backup and its volumes taught, in a few kilobytes", () => {
  const parcel = packed(shelf(made()), backup("b"), made());
  expect(Object.keys(parcel?.volumes ?? {})).toEqual([
    volumeKey({ kind: "podvolumebackup", title: "shop/db-0: data" }),
  ]);
  expect(JSON.stringify(parcel).length).toBeLessThan(8_000);
  expect(packed(new Map(), backup("b"), made())).toBeUndefined();
});

test("where nobody has restored, the backup lets expect how long the restore takes, whole and volume", () => {
  const parcel = readParcel(JSON.parse(JSON.stringify(packed(shelf(made()), backup("b"), made()))));
  if (!parcel) throw new Error("the parcel was not understood");
  const books = new Map(unpacked(parcel, backup("b")));
  expect(books.get(historyKey(restore))?.parts[""]?.runs[0]?.ms).toBe(59_999);
  const copy = books.get(volumeKey({ kind: "podvolumerestore", title: "shop/db-0: data" }));
  expect(copy?.parts[""]?.runs).toMatchObject([{ ms: 59_999, units: 600, curve: [0, 0, 1000, 1000] }]);
});

test("what a restore itself taught is preferred to what the backup lets expect", () => {
  const books = shelf(made());
  const own = { version: 2 as const, at: 1, parts: {} };
  books.set(historyKey(restore), own);
  const parcel = packed(books, backup("b"), made());
  expect(parcel && new Map(unpacked(parcel, backup("b"))).get(historyKey(restore))).toEqual(own);
});

test.each([undefined, null, 5, [], {}, { version: 1, volumes: {} }, { version: 2 }])(
  "readParcel() takes %j for none",
  (value) => {
    expect(readParcel(value)).toBeUndefined();
  },
);

test("readParcel() leaves out what has not the shape of a book", () => {
  const run = { ms: 1, unit: "bytes", units: 1, curve: [0, 0, 1000, 1000] };
  const book = (change: object) => ({
    version: 2,
    at: 1,
    parts: { "": { version: 2, runs: [{ ...run, ...change }] } },
  });
  const volumes = {
    "volume.backup.good": book({}),
    "volume.backup.bad": book({ curve: ["x"] }),
    "volume.backup.far": book({ curve: [1e9] }),
    "backup.velero.other": book({}),
  };
  const parcel = readParcel({ version: 2, backup: book({ ms: "1" }), volumes });
  expect(parcel).toEqual({ version: 2, volumes: { "volume.backup.good": book({}) } });
});
