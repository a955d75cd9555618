import { gzipSync } from "node:zlib";
import { grammar, StoredFields } from "../../../api/index.ts";
import { backupFolder, type Store, storedJson } from "../../../store/index.ts";
import { conversionRecord } from "../aside.ts";
import type { Converted } from "./rewrite.ts";

/** A record of thirty thousand volumes has less. */
const limits = { packedBytes: 16 * 1024 ** 2, bytes: 64 * 1024 ** 2, values: 1_000_000, depth: 8 };

/** What has been converted and verified of a backup; nothing when it was never begun. */
export async function readRecord(
  store: Store,
  backup: string,
  signal: AbortSignal,
): Promise<readonly Converted[]> {
  const key = backupFolder(backup) + conversionRecord(backup);
  if ((await store.head(key, signal)) === undefined) return [];
  const stored = await storedJson(store, key, { limits, packed: true }, signal);
  return new StoredFields(key, "", stored).list("volumes").map((one) => ({
    copy: one.text("copy", grammar.name),
    resticId: one.text("restic", grammar.resticSnapshot),
    kopiaId: one.text("kopia", grammar.kopiaSnapshot),
    bytes: one.count("bytes") ?? 0,
  }));
}

/** Writes it down; the object is replaced whole. */
export async function writeRecord(
  store: Store,
  backup: string,
  done: readonly Converted[],
  signal: AbortSignal,
): Promise<void> {
  const volumes = done.map(({ copy, resticId, kopiaId, bytes }) => ({
    copy,
    restic: resticId,
    kopia: kopiaId,
    bytes,
  }));
  await store.put(
    backupFolder(backup) + conversionRecord(backup),
    gzipSync(JSON.stringify({ volumes })),
    signal,
  );
}
