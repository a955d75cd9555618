import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { type BucketBackup, bucketBackup, putAll } from "../../../test/harness/bucket-files.ts";
import { bucketWith, kopiaCopy } from "../../../test/harness/checked-bucket.ts";
import { forecast } from "../../engines/recovery/index.ts";
import { volumeKey } from "../../observe/index.ts";
import { backupKey, type Store } from "../../store/index.ts";
import { gather } from "./gather.ts";
import { recoveryWords } from "./words.ts";

const forever = new AbortController().signal;
const read = (store: Store) => gather(store, Date.parse("2026-02-01T00:00:00Z"), forever);
const packed = (value: unknown) => gzipSync(JSON.stringify(value));
const MiB = 1024 ** 2;

/** A bucket whose newest backup is the one of these files. */
async function bucket(made: BucketBackup, beside: Readonly<Record<string, unknown>> = {}) {
  const store = await bucketWith({ copies: [kopiaCopy] });
  const status = { startTimestamp: "2026-01-05T00:00:00Z", progress: { totalItems: 40, itemsBackedUp: 40 } };
  await putAll(store, bucketBackup("b2", { ...made, status: { ...status, ...made.status } }));
  for (const [file, value] of Object.entries(beside))
    await store.put(backupKey("b2", file as "history"), packed(value));
  return store;
}

const book = (ms: number, units: number) => ({
  version: 2,
  at: 1,
  parts: {
    "": { version: 2, runs: [{ ms, unit: "bytes", units, curve: [0, 0, 1000, 1000] }] },
    "/items": { version: 2, runs: [{ ms: 3000, unit: "items", units: 40, curve: [0, 0, 1000, 1000] }] },
  },
});
const title = "shop/web: data";

test("gather() takes the newest backup, its volumes with their bytes, and says what it does not know", async () => {
  const store = await bucket({ copies: [{ ...kopiaCopy, bytes: 100 * MiB }] });
  expect(await read(store)).toEqual({
    backups: [{ name: "b2", items: 40, volumes: [{ title, bytes: 100 * MiB }] }],
    missing: [],
  });
});

test("gather() takes what restores, backups and drills taught", async () => {
  const history = {
    version: 2,
    restore: book(90_000, 7),
    volumes: {
      [volumeKey({ kind: "podvolumerestore", title })]: book(60_000, 100 * MiB),
      [volumeKey({ kind: "podvolumebackup", title })]: book(20_000, 100 * MiB),
    },
  };
  const drill = { report: { verdict: "proved", measured: { readySeconds: 12 } }, signature: {} };
  const store = await bucket({ copies: [{ ...kopiaCopy, bytes: 100 * MiB }] }, { history, drill });
  const { backups } = await read(store);
  expect(backups).toMatchObject([
    {
      restored: { seconds: 3 },
      readySeconds: 12,
      volumes: [{ restored: { seconds: 60 }, copied: { seconds: 20 } }],
    },
  ]);
  expect(forecast(backups, { slots: 2 }).seconds).toBeCloseTo(75, 6);
});

test("the time in which objects waited for volumes is not counted twice", async () => {
  const part = (ms: number, unit: string, units: number) => ({
    version: 2,
    runs: [{ ms, unit, units, curve: [0, 0, 1000, 1000] }],
  });
  const parts = {
    "": part(50_000, "steps", 3),
    "/items": part(45_000, "items", 40),
    "/volumes": part(40_000, "bytes", 10),
    "/finish": part(1_000, "steps", 1),
  };
  const history = { version: 2, restore: { version: 2, at: 1, parts }, volumes: {} };
  const { backups } = await read(await bucket({ copies: [kopiaCopy] }, { history }));
  expect(backups[0]?.restored?.seconds).toBeCloseTo(9, 6);
});

test.each<[string, Readonly<Record<string, unknown>>]>([
  ["a history that is none", { history: [1, 2] }],
  ["a drill that failed", { drill: { report: { verdict: "failed", measured: { readySeconds: 5 } } } }],
  [
    "a drill that says nonsense",
    { drill: { report: { verdict: "proved", measured: { readySeconds: -1 } } } },
  ],
])("gather() learns nothing from %s", async (_, beside) => {
  const { backups } = await read(await bucket({ copies: [kopiaCopy] }, beside));
  expect(backups).toEqual([{ name: "b2", items: 40, volumes: [{ title, bytes: 10 }] }]);
});

test("gather() survives damaged files, and names what does not come back", async () => {
  const failed = { ...kopiaCopy, pod: "db", more: { status: { phase: "Failed", message: "no space" } } };
  const { snapshotId: _, ...lost } = failed;
  const store = await bucket({ copies: [kopiaCopy, lost] }, { history: {} });
  await store.put(backupKey("b2", "history"), Buffer.from("no gzip"));
  await putAll(
    store,
    bucketBackup("b3", { status: { phase: "Failed", startTimestamp: "2026-01-06T00:00:00Z" } }),
  );
  await store.put(backupKey("b4", "metadata"), Buffer.from("{"));
  const { backups, missing } = await read(store);
  expect(backups).toMatchObject([{ name: "b2", volumes: [{ title }] }]);
  expect(missing.map(({ backup }) => backup)).toEqual(["b4", "b2", "b3"]);
  expect(missing.map(({ why }) => why).join("\n")).toMatch(/no space[\s\S]*it ended Failed/);
});

test("the words name the whole, the range, what is assumed and what does not come back", async () => {
  const gathered = await read(await bucket({ copies: [{ ...kopiaCopy, bytes: 100 * MiB }] }));
  const place = { slots: 2 };
  const words = recoveryWords(forecast(gathered.backups, place), gathered, place, undefined);
  expect(words).toMatch(/^A full recovery takes about 5s \(80 %: .* to .*\)\.\n/);
  expect(words).toContain("1 backup, 40 objects, 1 volume with 100 MiB; 2 volumes at a time");
  expect(words).toMatch(/b2 +40 +1 +100 MiB +0s +5s +a guess/);
  expect(words).toContain("25.0 MiB/s a volume");
  expect(words).not.toContain("does not come back");
  const nothing = { backups: [], missing: [{ backup: "b", why: "it is gone" }] };
  expect(recoveryWords(forecast([], place), nothing, place, undefined)).toBe(
    "there is nothing to restore\n\nWhat does not come back:\n  b: it is gone\n",
  );
});
