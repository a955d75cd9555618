import {
  type Backup,
  type VolumePluginBackup,
  type VolumeSnapshotLocation,
  veleroNames,
} from "../../api/index.ts";
import { messageOf } from "../../errors.ts";
import { isNotFound } from "../../kube/index.ts";
import { backupKey, type Store, storedList } from "../../store/index.ts";
import type { SnapshotDeps } from "./backup-snapshots.ts";
import { OpenedLocations } from "./opened-locations.ts";
import { readPlace } from "./place.ts";
import { resources } from "./resources.ts";
import { type SnapshotId, snapshotIds } from "./stored-snapshots.ts";

/** Removes the native snapshots of a backup; returns what could not be removed and why. */
export function snapshotRemover(deps: Omit<SnapshotDeps, "status">) {
  return async (backup: Backup, store: Store, signal: AbortSignal): Promise<string[]> => {
    const { name } = backup.metadata;
    const list = await storedList(store, name, "volumeSnapshots", signal);
    const stored = snapshotIds(list, backupKey(name, "volumeSnapshots"));
    const wanted = distinct([...stored.ids, ...(await recorded(deps, backup, signal))]);
    if (wanted.length === 0) return [...stored.errors];
    const opened = new OpenedLocations(deps);
    const errors: string[] = [...stored.errors];
    try {
      for (const { location, id } of wanted) {
        try {
          const { snapshotter } = await opened.open(await read(deps, location, signal), signal);
          await snapshotter.deleteSnapshot(id, signal);
        } catch (error) {
          signal.throwIfAborted();
          const why = messageOf(error);
          errors.push(`snapshot "${id}" of location "${location}" cannot be removed: ${why}`);
        }
      }
    } finally {
      await opened.close();
    }
    return errors;
  };
}

/** What the cluster knows of: snapshots of a backup that failed are in no stored list. */
async function recorded(
  { client, namespace }: Pick<SnapshotDeps, "client" | "namespace">,
  { metadata }: Backup,
  signal: AbortSignal,
): Promise<readonly SnapshotId[]> {
  const query = { namespace, labelSelector: `${veleroNames.backupUid}=${metadata.uid ?? ""}` };
  const objects = await client.list<VolumePluginBackup>(resources.pluginBackups, query, signal);
  return objects.flatMap((object) => {
    const place = readPlace(object.metadata.annotations);
    const { phase, snapshotID } = object.status ?? {};
    if (!place || phase === "Canceled") return []; // not taken for a backup, or removed already
    return [{ location: place.location, id: snapshotID || object.metadata.name }];
  });
}

/** Each snapshot once. */
function distinct(all: readonly SnapshotId[]): readonly SnapshotId[] {
  return [...new Map(all.map((one) => [JSON.stringify([one.location, one.id]), one])).values()];
}

async function read(
  { client, namespace }: Pick<SnapshotDeps, "client" | "namespace">,
  name: string,
  signal: AbortSignal,
): Promise<VolumeSnapshotLocation> {
  try {
    return await client.get<VolumeSnapshotLocation>(resources.snapshotLocations, name, { namespace }, signal);
  } catch (error) {
    if (!isNotFound(error)) throw error;
    throw new Error("the location does not exist", { cause: error });
  }
}
