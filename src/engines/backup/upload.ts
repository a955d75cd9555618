import { gzipSync } from "node:zlib";
import { type BackupFile, backupFolder, backupKey, type Store } from "../../store/index.ts";
import { fileBytes } from "./spool.ts";

/** One file of a backup: on disk, or small enough to be in memory. */
export interface StoredFile {
  readonly file: BackupFile;
  readonly from: { readonly path: string; readonly bytes: number } | { readonly json: unknown };
}

/**
 * Puts the files of a backup into the store, in order.
 *
 * When anything fails, or the signal fires, everything under the backup's folder is removed again.
 */
export async function uploadFiles(
  store: Store,
  backup: string,
  files: readonly StoredFile[],
  onBytes: (done: number, total: number) => void,
  signal: AbortSignal,
): Promise<void> {
  const total = files.reduce((sum, { from }) => sum + ("path" in from ? from.bytes : 0), 0);
  let done = 0;
  const counted = async function* (path: string) {
    for await (const chunk of fileBytes(path)) {
      yield chunk;
      done += chunk.length;
      onBytes(done, total);
    }
  };
  try {
    onBytes(0, total);
    for (const { file, from } of files) {
      const body = "path" in from ? counted(from.path) : encoded(file, from.json);
      await store.put(backupKey(backup, file), body, signal);
    }
  } catch (error) {
    await removeBackup(store, backup).catch(() => undefined); // the first error is the one to tell
    throw error;
  }
}

/** Removes every file of a backup, metadata first, so that no reader takes the rest for a backup. */
export async function removeBackup(store: Store, backup: string, signal?: AbortSignal): Promise<void> {
  await store.delete(backupKey(backup, "metadata"), signal);
  await store.deletePrefix(backupFolder(backup), signal);
}

/** The metadata is read by people too and is not compressed; everything else is gzip of one JSON document. */
function encoded(file: BackupFile, json: unknown): Uint8Array {
  if (file === "metadata") return Buffer.from(JSON.stringify(json, null, 2));
  return gzipSync(JSON.stringify(json));
}
