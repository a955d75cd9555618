import { gunzipSync } from "node:zlib";
import { AppError } from "../../errors.ts";
import { type BackupFile, backupKey, type Store } from "../../store/index.ts";
import { type Json, recordOf, recordsOf, textOf } from "./json.ts";
import type { VolumeMethod } from "./transform/volumes.ts";

/** The side files of a backup are lists of volumes; this is room for a hundred thousand of them. */
const limits = { packed: 32 * 1024 * 1024, unpacked: 256 * 1024 * 1024 };

/** A list that a backup keeps beside its archive; empty when the backup has none. */
export async function storedList(
  store: Store,
  backup: string,
  file: BackupFile,
  signal: AbortSignal,
): Promise<readonly Json[]> {
  const key = backupKey(backup, file);
  const info = await store.head(key, signal);
  if (info === undefined) return [];
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of await store.get(key, signal)) {
    bytes += chunk.length;
    if (bytes > limits.packed) throw unreadable(key, `it has more than ${limits.packed} bytes`);
    chunks.push(chunk);
  }
  try {
    const text = gunzipSync(Buffer.concat(chunks), { maxOutputLength: limits.unpacked }).toString();
    return recordsOf(JSON.parse(text));
  } catch (error) {
    throw unreadable(key, "it is damaged", error);
  }
}

/** How each persistent volume was saved, by its name. */
export function volumeMethods(infos: readonly Json[]): ReadonlyMap<string, VolumeMethod> {
  const methods = new Map<string, VolumeMethod>();
  for (const info of infos) {
    const name = textOf(info["pvName"]);
    if (name !== "") methods.set(name, methodOf(info));
  }
  return methods;
}

function methodOf(info: Json): VolumeMethod {
  const method = info["backupMethod"];
  if (info["skipped"] === true) return "none";
  // Data that was moved out of a CSI snapshot comes back into a new volume as well.
  return method === "NativeSnapshot" || method === "PodVolumeBackup" || method === "CSISnapshot"
    ? method
    : "none";
}

/** What a list of plugin settings maps to what. */
export function settingsOf(configMap: Json | undefined): Readonly<Record<string, string>> {
  const entries = Object.entries(recordOf(configMap?.["data"]));
  return Object.fromEntries(
    entries.flatMap(([key, value]) => (typeof value === "string" ? [[key, value]] : [])),
  );
}

function unreadable(key: string, reason: string, cause?: unknown): AppError {
  return new AppError("ARCHIVE_INVALID", `read "${key}" of the backup: ${reason}`, { cause, retry: false });
}
