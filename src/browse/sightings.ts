import { type Backup, type DataUpload, kinds, type PodVolumeBackup, veleroNames } from "../api/index.ts";
import { isForbidden, isNotFound, labelValue, resourceOf } from "../kube/index.ts";
import type { FileEntry } from "../movers/index.ts";
import { type Address, addressText } from "./address.ts";
import { pathIn } from "./backup-contents.ts";
import type { BrowsePlace } from "./place.ts";
import { Rights } from "./rights.ts";
import { type StoredVolume, volumesOf } from "./volumes.ts";

/** A path in one backup, and what became of it since the backup before. */
export interface Sighting {
  readonly backup: string;
  /** When the backup began. */
  readonly at: string;
  /** Absent when the backup has the volume and nothing at the path. */
  readonly entry?: FileEntry;
  readonly change: "first" | "same" | "changed" | "gone" | "back" | "absent";
}

/** Tells what became of a path, judged by its type, size and time: whoever changes a file and puts its time back is not seen. */
export function changeSince(before: readonly Sighting[], entry: FileEntry | undefined): Sighting["change"] {
  const last = before.at(-1);
  const wasThere = before.some((one) => one.entry !== undefined);
  if (entry === undefined) return last?.entry ? "gone" : "absent";
  if (!last?.entry) return wasThere ? "back" : "first";
  const { type, bytes, modified } = last.entry;
  return type === entry.type && bytes === entry.bytes && modified === entry.modified ? "same" : "changed";
}

/**
 * Looks for a path in the backups that have the volume, the oldest first; of more than `limit` only the newest. A snapshot is a run
 * of its mover, so each is told when it is known.
 */
export async function* sightings(
  place: BrowsePlace,
  { volume, path }: Address,
  limit: number,
  signal: AbortSignal,
): AsyncGenerator<Sighting> {
  await new Rights(place.client, signal).demandFiles(volume.namespace);
  const wanted = addressText(volume);
  const all = await allVolumes(place, signal);
  const having = all.flatMap(({ backup, volumes }) => {
    const found = volumes.find((one) => addressText(one.name) === wanted);
    return found ? [{ backup, found }] : [];
  });
  const told: Sighting[] = [];
  for (const { backup, found } of having.slice(-limit)) {
    const { mover, at } = await pathIn(place, found, path, signal);
    const entry = await mover.find(at, signal);
    const one = {
      backup: backup.metadata.name,
      at: startOf(backup),
      ...(entry && { entry }),
      change: changeSince(told, entry),
    };
    told.push(one);
    yield one;
  }
}

/** Every backup with its volumes, the oldest first. Bounded by the objects of the server's namespace. */
async function allVolumes(
  { client, namespace }: BrowsePlace,
  signal: AbortSignal,
): Promise<readonly { readonly backup: Backup; readonly volumes: readonly StoredVolume[] }[]> {
  const [backups, copies, uploads] = await Promise.all([
    client.list<Backup>(resourceOf(kinds.Backup), { namespace }, signal),
    client.list<PodVolumeBackup>(resourceOf(kinds.PodVolumeBackup), { namespace }, signal),
    client.list<DataUpload>(resourceOf(kinds.DataUpload), { namespace }, signal).catch((error: unknown) => {
      if (isNotFound(error) || isForbidden(error)) return [];
      throw error;
    }),
  ]);
  const labelOf = ({ metadata }: PodVolumeBackup | DataUpload) =>
    metadata.labels?.[veleroNames.backupName] ?? "";
  const [copiesOf, uploadsOf] = [Map.groupBy(copies, labelOf), Map.groupBy(uploads, labelOf)];
  return backups
    .toSorted((a, b) => (startOf(a) < startOf(b) ? -1 : 1))
    .map((backup) => {
      const label = labelValue(backup.metadata.name);
      const sources = {
        copies: copiesOf.get(label) ?? [],
        uploads: uploadsOf.get(label) ?? [],
        infos: undefined,
      };
      return { backup, volumes: volumesOf(backup, sources) };
    });
}

function startOf({ metadata, status }: Backup): string {
  return status?.startTimestamp ?? metadata.creationTimestamp ?? "";
}
