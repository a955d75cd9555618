import { gunzipSync } from "node:zlib";
import { type BackupFile, backupKey, type Store } from "../../store/index.ts";

/** Room for a hundred thousand snapshots. */
const limitBytes = 256 << 20;

/** A list that is stored with a backup; empty when the backup has none. */
export async function storedList(
  store: Store,
  backup: string,
  file: BackupFile,
  signal: AbortSignal,
): Promise<readonly unknown[]> {
  const key = backupKey(backup, file);
  if ((await store.head(key, signal)) === undefined) return [];
  const bytes = Buffer.concat(await Array.fromAsync(await store.get(key, signal)));
  const list: unknown = JSON.parse(gunzipSync(bytes, { maxOutputLength: limitBytes }).toString("utf8"));
  return Array.isArray(list) ? list : [];
}
