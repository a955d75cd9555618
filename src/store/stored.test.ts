import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { backupKey } from "./layout.ts";
import { MemoryStore } from "./memory.ts";
import { listLimits, objectLimits, storedJson, storedList, storedMetadata } from "./stored.ts";

const file = "podVolumeBackups";
const key = backupKey("b", file);

async function stored(content: string | Uint8Array): Promise<MemoryStore> {
  const store = new MemoryStore();
  await store.put(key, Buffer.from(content));
  return store;
}

test("storedList() reads a list, and nothing and null as an empty one", async () => {
  expect(await storedList(await stored(gzipSync('[{"a":1}]')), "b", file)).toEqual([{ a: 1 }]);
  expect(await storedList(await stored(gzipSync("null")), "b", file)).toEqual([]);
  expect(await storedList(new MemoryStore(), "b", file)).toEqual([]);
});

test("storedMetadata() reads a file that is not compressed", async () => {
  const store = new MemoryStore();
  await store.put(backupKey("b", "metadata"), Buffer.from('{"kind":"Backup"}'));
  expect(await storedMetadata(store, "b")).toEqual({ kind: "Backup" });
  expect(await storedMetadata(store, "c")).toBeUndefined();
});

test.each<[string, string | Uint8Array, string]>([
  ["is no compressed file", "[]", "its compression is damaged"],
  ["is cut", gzipSync("[1,2,3]").subarray(0, -6), "its compression is damaged"],
  ["is no list", gzipSync("{}"), "it is no list"],
  ["is no JSON", gzipSync("[{password: hunter2"), "it is no JSON"],
  ["has a key twice", gzipSync('[{"a":1,"a":2}]'), "a key occurs twice in its JSON"],
  ["is deep", gzipSync("[".repeat(100_000)), "its JSON is nested deeper than 64"],
  ["has many values", gzipSync(`[${"0,".repeat(listLimits.values + 1)}0]`), "values"],
  ["is a bomb", gzipSync(Buffer.alloc(listLimits.bytes + 1, " ")), `more than ${listLimits.bytes} bytes`],
])("storedList() refuses what %s, and names the file", async (_name, content, words) => {
  const fault = await storedList(await stored(content), "b", file).catch((error: unknown) => error);
  expect(fault).toMatchObject({
    code: "STORED_INVALID",
    retry: false,
    message: expect.stringContaining(words),
  });
  expect(fault).toMatchObject({ message: expect.stringContaining(`"${key}"`) });
  expect(String(fault)).not.toContain("hunter2");
});

test("a stream is given up at its limit, and never read to its end", async () => {
  let read = 0;
  const piece = Buffer.alloc(64 * 1024, " ");
  const store = {
    place: "endless",
    async get() {
      return (async function* () {
        for (;;) {
          read += piece.length;
          yield piece;
        }
      })();
    },
  };
  const reading = storedJson(store, "backups/b/velero-backup.json", { limits: objectLimits, packed: false });
  await expect(reading).rejects.toMatchObject({ code: "STORED_INVALID" });
  expect(read).toBeLessThanOrEqual(objectLimits.packedBytes + 2 * piece.length);
});

test("a bomb takes little more memory than its limit", async () => {
  const bomb = gzipSync(Buffer.alloc(512 * 1024 ** 2, " "));
  const store = await stored(bomb);
  let most = 0;
  const watch = setInterval(() => {
    most = Math.max(most, process.memoryUsage().arrayBuffers);
  }, 5);
  const before = process.memoryUsage().arrayBuffers;
  await expect(storedList(store, "b", file)).rejects.toMatchObject({ code: "STORED_INVALID" });
  clearInterval(watch);
  expect(most - before).toBeLessThan(3 * listLimits.bytes);
});
