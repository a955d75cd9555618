import { gunzipped } from "../../packages/wire/index.ts";
import { AppError } from "../errors.ts";
import { JsonScan, parseScanned } from "./json-scan.ts";
import { type BackupFile, backupKey } from "./layout.ts";
import type { Store } from "./store.ts";

// Everything that is read out of a store into memory comes through here: whoever can write to a bucket decides what lies in
// it, and must not decide how much memory or time that takes.

/** What bounds the reading of one file. */
export interface StoredLimits {
  /** Bytes as they lie in the store. */
  readonly packedBytes: number;
  /** Bytes of the content. */
  readonly bytes: number;
  /** Objects, lists, texts and numbers in it: a value of two bytes takes fifty in memory. */
  readonly values: number;
  readonly depth: number;
}

/** A Backup as the API server takes it: 3 MiB at most, with some room. */
export const objectLimits: StoredLimits = {
  packedBytes: 4 * 1024 ** 2,
  bytes: 4 * 1024 ** 2,
  values: 200_000,
  depth: 64,
};
/** Lists of a backup's volumes: room for thirty thousand with two kilobytes each. */
export const listLimits: StoredLimits = {
  packedBytes: 16 * 1024 ** 2,
  bytes: 64 * 1024 ** 2,
  values: 3_000_000,
  depth: 64,
};

type Readable = Pick<Store, "get" | "head" | "place">;

/** The metadata of a backup as it is stored, unchecked; undefined when there are none. */
export async function storedMetadata(
  store: Readable,
  backup: string,
  signal?: AbortSignal,
): Promise<unknown> {
  const key = backupKey(backup, "metadata");
  if ((await store.head(key, signal)) === undefined) return undefined;
  return storedJson(store, key, { limits: objectLimits, packed: false }, signal);
}

/** A list that a backup keeps beside its archive, its elements unchecked; empty when the backup has none. */
export async function storedList(
  store: Readable,
  backup: string,
  file: BackupFile,
  signal?: AbortSignal,
): Promise<readonly unknown[]> {
  const key = backupKey(backup, file);
  if ((await store.head(key, signal)) === undefined) return [];
  const list = (await storedJson(store, key, { limits: listLimits, packed: true }, signal)) ?? [];
  if (!Array.isArray(list)) throw storedFault(key, "it is no list");
  return list;
}

/** The value in a JSON file of the store; STORED_INVALID when it is none, or beyond the limits. */
export async function storedJson(
  store: Pick<Store, "get" | "place">,
  key: string,
  { limits, packed }: { readonly limits: StoredLimits; readonly packed: boolean },
  signal?: AbortSignal,
): Promise<unknown> {
  const source = bounded(await store.get(key, signal), limits.packedBytes, key);
  const content = packed
    ? gunzipped(source, {
        signal,
        damaged: (cause) => storedFault(key, "its compression is damaged", cause),
      })
    : source;
  const scan = new JsonScan();
  const chunks: Uint8Array[] = [];
  for await (const chunk of bounded(content, limits.bytes, key)) {
    scan.push(chunk);
    if (scan.depth > limits.depth) throw storedFault(key, `its JSON is nested deeper than ${limits.depth}`);
    if (scan.values > limits.values) throw storedFault(key, `it has more than ${limits.values} values`);
    chunks.push(chunk);
  }
  const read = parseScanned(Buffer.concat(chunks), scan);
  if ("fault" in read) throw storedFault(key, read.fault);
  return read.value;
}

/** The error of a stored file that is not what a backup stores. */
function storedFault(key: string, what: string, cause?: unknown): AppError {
  return new AppError("STORED_INVALID", `stored file "${key}": ${what}`, { cause, retry: false });
}

async function* bounded(
  source: AsyncIterable<Uint8Array>,
  limit: number,
  key: string,
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of source) {
    bytes += chunk.length;
    if (bytes > limit) throw storedFault(key, `it has more than ${limit} bytes`);
    yield chunk;
  }
}
