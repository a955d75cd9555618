import { type Backup, type DataUpload, kinds, type PodVolumeBackup, veleroNames } from "../api/index.ts";
import { readRepository } from "../engines/podvolume/index.ts";
import { AppError } from "../errors.ts";
import { isRunEnded } from "../kinds/index.ts";
import { isForbidden, isNotFound, labelValue, resourceOf } from "../kube/index.ts";
import { storedJson } from "../observe/index.ts";
import { addressText, type VolumeName } from "./address.ts";
import type { BrowsePlace } from "./place.ts";
import { Rights } from "./rights.ts";
import { type StoredVolume, volumesOf } from "./volumes.ts";

/** A backup that is looked into. */
export interface OpenBackup {
  readonly backup: Backup;
  /** Volumes whose files can be read; those that the asker may not read are left out. */
  readonly volumes: readonly StoredVolume[];
  /** What the asker may see. */
  readonly rights: Rights;
}

/** Finds a backup and the volumes that it keeps. */
export async function openBackup(place: BrowsePlace, name: string, signal: AbortSignal): Promise<OpenBackup> {
  const { client, namespace } = place;
  const backup = await client.get<Backup>(resourceOf(kinds.Backup), name, { namespace }, signal);
  const labelSelector = `${veleroNames.backupName}=${labelValue(name)}`;
  const query = { namespace, labelSelector };
  const [copies, uploads] = await Promise.all([
    client.list<PodVolumeBackup>(resourceOf(kinds.PodVolumeBackup), query, signal),
    client.list<DataUpload>(resourceOf(kinds.DataUpload), query, signal).catch(none),
  ]);
  // A backup of another cluster comes with its copies of pod volumes, and without its uploads: the location knows of those.
  const isMissing = uploads.length === 0 && (backup.status?.backupItemOperationsAttempted ?? 0) > 0;
  const infos =
    isMissing && isRunEnded(backup.status)
      ? await storedJson(place, { kind: "BackupVolumeInfos", name }, { err: () => undefined }, signal)
      : undefined;
  const rights = new Rights(client, signal);
  const volumes: StoredVolume[] = [];
  for (const volume of volumesOf(backup, { copies, uploads, infos })) {
    const { namespace: of } = volume.name;
    const claims = { group: "", resource: "persistentvolumeclaims", namespace: of };
    if (await rights.mayRead(claims)) volumes.push(volume);
  }
  return { backup, volumes, rights };
}

/** The volume of this name, for somebody who may read its files. */
export async function volumeAt(
  { backup, volumes, rights }: OpenBackup,
  name: VolumeName,
): Promise<StoredVolume> {
  await rights.demandFiles(name.namespace);
  const wanted = addressText(name);
  const found = volumes.find((volume) => addressText(volume.name) === wanted);
  if (found) return found;
  const there = volumes.slice(0, 10).map((volume) => addressText(volume.name));
  const which =
    there.length === 0 ? "it has no volume whose files can be read" : `it has ${there.join(", ")}`;
  const more = volumes.length > there.length ? ` and ${volumes.length - there.length} more` : "";
  throw new AppError(
    "SNAPSHOT_PATH",
    `backup "${backup.metadata.name}" has no volume "${wanted}": ${which}${more}`,
    {
      retry: false,
    },
  );
}

/** A path in a volume, in the words of its mover. */
export async function pathIn(place: BrowsePlace, volume: StoredVolume, path: string, signal: AbortSignal) {
  const { location, uploader, snapshotId, name } = volume;
  const key = { volumeNamespace: name.namespace, location, type: uploader };
  const repository = await readRepository(place.client, place.namespace, key, signal);
  return { mover: place.mover(uploader), at: { repository, snapshotId, path } };
}

function none(error: unknown): [] {
  if (isNotFound(error) || isForbidden(error)) return [];
  throw error;
}
