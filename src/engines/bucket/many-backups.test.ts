import { expect, test } from "vitest";
import { bucketBackup } from "../../../test/harness/bucket-files.ts";
import { backupKey, type Entry, type Store } from "../../store/index.ts";
import { checkBucket } from "./check.ts";

const many = 10_000;
const nameOf = (n: number) => `nightly-${String(n).padStart(5, "0")}`;
const first = bucketBackup(nameOf(0), { items: 0 });
const files = (["metadata", "contents", "podVolumeBackups"] as const).map((file) =>
  backupKey(nameOf(0), file),
);
/** The files of one are those of all but for the name. */
const bytesOf = (key: string, name: string): Buffer => {
  const bytes = first.get(key.replaceAll(name, nameOf(0))) ?? Buffer.alloc(0);
  return key.endsWith(".json") ? Buffer.from(bytes.toString().replaceAll(nameOf(0), name)) : bytes;
};

test(`${many} backups are read while they are listed: no more than the lanes are held`, async () => {
  let listed = 0;
  let told = 0;
  let ahead = 0;
  const store: Pick<Store, "place" | "list" | "head" | "get"> = {
    place: "nowhere",
    async *list(prefix, options): AsyncGenerator<Entry> {
      if (prefix === "" && options?.delimiter) yield { prefix: "backups/" };
      if (prefix !== "backups/") return;
      for (let n = 0; n < many; n += 1) {
        if (options?.delimiter) yield { prefix: `backups/${nameOf(n)}/` };
        else {
          listed += 1;
          for (const key of files)
            yield {
              object: { key: key.replaceAll(nameOf(0), nameOf(n)), bytes: 1, modifiedAt: new Date(0) },
            };
        }
      }
    },
    head: async (key) => ({ key }),
    async get(key) {
      const [, name = ""] = key.split("/");
      const bytes = bytesOf(key, name);
      return (async function* () {
        yield bytes;
      })();
    },
  };
  const summary = await checkBucket(
    { store: store as Store, now: Date.now }, // a check writes nothing
    {
      backup({ name, state }) {
        expect([name, state]).toEqual([nameOf(told), "whole"]);
        told += 1;
        ahead = Math.max(ahead, listed - told);
      },
      repository: () => undefined,
      found: () => undefined,
      progress: () => undefined,
    },
    new AbortController().signal,
  );
  expect(told).toBe(many);
  expect(summary.states).toEqual({ whole: many, damaged: 0, lost: 0, unfinished: 0 });
  expect(ahead).toBeLessThanOrEqual(5);
}, 240_000);
