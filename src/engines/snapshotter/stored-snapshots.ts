import { type Backup, grammar, isRecord, StoredFields } from "../../api/index.ts";
import { AppError } from "../../errors.ts";
import type { Placed } from "./snapshot-object.ts";

/** What is needed of a native snapshot in a backup's stored list. */
export interface StoredSnapshot {
  readonly volume: string;
  readonly location: string;
  readonly snapshotID: string;
  readonly volumeType: string;
  readonly volumeAZ?: string;
  readonly volumeIOPS?: number;
}

/** One snapshot as a backup's list keeps it; keys are upstream's. */
export function storedSnapshot(
  { metadata: { name, uid = "" } }: Backup,
  volume: string,
  { location, volumeID, volumeType, volumeAZ, volumeIOPS }: Placed,
  status: { readonly providerSnapshotID?: string; readonly phase: "New" | "Completed" | "Failed" },
) {
  const spec = {
    backupName: name,
    backupUID: uid,
    location,
    persistentVolumeName: volume,
    providerVolumeID: volumeID,
    volumeType,
    ...(volumeAZ !== undefined && { volumeAZ }),
    ...(volumeIOPS !== undefined && { volumeIOPS }),
  };
  return { spec, status };
}

/**
 * The usable snapshots of a stored list by the name of their volume; whatever else is in it is passed over. A usable one
 * with a field that no plugin gives is STORED_INVALID: its words go to a plugin.
 */
export function storedSnapshots(list: readonly unknown[], file: string): ReadonlyMap<string, StoredSnapshot> {
  const found = new Map<string, StoredSnapshot>();
  for (const [spec, status] of entriesOf(list, file)) {
    if (status.raw["phase"] !== "Completed" || !spec.raw["persistentVolumeName"]) continue;
    const snapshotID = status.optional("providerSnapshotID", grammar.pluginSnapshot);
    if (snapshotID === undefined) continue;
    const volume = spec.text("persistentVolumeName", grammar.name);
    const volumeAZ = spec.optional("volumeAZ", grammar.line);
    const volumeIOPS = spec.count("volumeIOPS");
    found.set(volume, {
      volume,
      snapshotID,
      location: spec.optional("location", grammar.name) ?? "",
      volumeType: spec.optional("volumeType", grammar.line) ?? "",
      ...(volumeAZ !== undefined && { volumeAZ }),
      ...(volumeIOPS !== undefined && { volumeIOPS }),
    });
  }
  return found;
}

/** A snapshot by the location that has it. */
export interface SnapshotId {
  readonly location: string;
  readonly id: string;
}

/** Every snapshot id of a stored list, usable or not, with its location: what is to be removed with the backup, and what cannot be. */
export function snapshotIds(
  list: readonly unknown[],
  file: string,
): { readonly ids: readonly SnapshotId[]; readonly errors: readonly string[] } {
  const ids: SnapshotId[] = [];
  const errors: string[] = [];
  for (const [spec, status] of entriesOf(list, file)) {
    try {
      const id = status.optional("providerSnapshotID", grammar.pluginSnapshot);
      if (id !== undefined) ids.push({ location: spec.optional("location", grammar.name) ?? "", id });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      errors.push(error.message);
    }
  }
  return { ids, errors };
}

/** The entries that have both parts. */
function* entriesOf(list: readonly unknown[], file: string): Generator<[StoredFields, StoredFields]> {
  for (const [at, one] of list.entries()) {
    if (!isRecord(one) || !isRecord(one["spec"]) || !isRecord(one["status"])) continue;
    const entry = new StoredFields(file, `[${at}]`, one);
    yield [entry.object("spec"), entry.object("status")];
  }
}
