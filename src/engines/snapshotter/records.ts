import { isDeepStrictEqual } from "node:util";
import type { VolumePluginBackup } from "../../api/index.ts";

/** An object as it is stored with its backup. */
export function recordOf(object: VolumePluginBackup): VolumePluginBackup {
  const { managedFields: _fields, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/**
 * The stored list with what the cluster knows better; undefined when nothing differs. What is stored and no longer in the
 * cluster stays: deleting an object says nothing of its snapshot.
 */
export function newerRecords(
  stored: readonly unknown[],
  now: readonly VolumePluginBackup[],
): readonly unknown[] | undefined {
  const known = new Map(stored.map((one) => [nameOf(one), one]));
  let differs = false;
  for (const object of now) {
    const { name } = object.metadata;
    const before = known.get(name) as Partial<VolumePluginBackup> | undefined; // compared, never trusted
    const isSame =
      isDeepStrictEqual(plain(before?.spec), plain(object.spec)) &&
      isDeepStrictEqual(plain(before?.status), plain(object.status));
    if (before && isSame) continue;
    // Without an id nobody could use it; the one that the backup has stored is right.
    if (!object.status?.snapshotID) continue;
    known.set(name, recordOf(object));
    differs = true;
  }
  return differs ? [...known.values()] : undefined;
}

/** As JSON has it: what is undefined is absent. */
function plain(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}

function nameOf(record: unknown): string {
  return (record as { metadata?: { name?: string } } | null)?.metadata?.name ?? "";
}
