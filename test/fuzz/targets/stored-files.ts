import { gzipSync } from "node:zlib";
import { unpacked } from "../../../src/observe/index.ts";
import { readRemarks } from "../../../src/server/left-behind.ts";
import {
  type BackupFile,
  backupKey,
  MemoryStore,
  storedList,
  storedMetadata,
} from "../../../src/store/index.ts";
import { chunked, mutateBytes, streamed } from "../bytes.ts";
import { mutateJson } from "../json.ts";
import { Random } from "../random.ts";
import { target } from "../target.ts";
import { samplesByFile, useStored } from "./stored-json.ts";

const files = Object.keys(samplesByFile) as readonly BackupFile[]; // the keys of the table are its names
const packed = new Map(files.map((file) => [file, gzipSync(JSON.stringify(samplesByFile[file]))]));

/** The first byte names the file; the rest is what lies in the store. */
export const storedFiles = target<Uint8Array>({
  name: "stored-files",
  covers: "every file that a backup keeps beside its archive, read out of a store, packed and plain",
  make(random) {
    const at = random.below(files.length);
    const file = random.of(files);
    const other = packed.get(random.of(files));
    const whole =
      files[at] === "metadata"
        ? Buffer.from(JSON.stringify(samplesByFile.metadata))
        : (packed.get(file) ?? Buffer.alloc(0));
    if (random.oneIn(2)) {
      const text = Buffer.from(JSON.stringify(mutateJson(random, samplesByFile[file] ?? null)));
      const damaged = random.oneIn(2) ? mutateBytes(random, text) : text;
      return Buffer.concat([
        Buffer.from([at]),
        files[at] === "metadata" ? damaged : gzipSync(damaged, { level: 1 }),
      ]);
    }
    return Buffer.concat([Buffer.from([at]), mutateBytes(random, whole, other)]);
  },
  async run(given) {
    const file = files[(given[0] ?? 0) % files.length] ?? "metadata";
    const store = new MemoryStore();
    const bytes = given.subarray(1);
    await store.put(backupKey("b", file), streamed(chunked(new Random(bytes.length), bytes)));
    if (file === "metadata") return useStored(file, await storedMetadata(store, "b"));
    if (file === "results" || file === "log") return readText(file, bytes);
    return useStored(file, await storedList(store, "b", file));
  },
});

async function readText(file: "results" | "log", bytes: Uint8Array): Promise<void> {
  const wanted = { kind: file === "results" ? "BackupResults" : "BackupLog", name: "b" } as const;
  const parts: Buffer[] = [];
  const { signal } = new AbortController();
  for await (const part of unpacked(streamed([bytes]), wanted, { signal, maxBytes: 1 << 24 }))
    parts.push(part);
  if (file === "results") readRemarks(Buffer.concat(parts).toString("utf8"));
}
