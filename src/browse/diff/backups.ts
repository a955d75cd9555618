import { groupResource } from "../../api/index.ts";
import type { Client } from "../../kube/index.ts";
import { openBackup } from "../backup-contents.ts";
import type { BrowsePlace } from "../place.ts";
import { diffObjects, type ObjectsDiff } from "./objects.ts";
import { archivedSide, type DiffFilter, liveSide, type Place, remembering } from "./sides.ts";
import { diffVolumes, type VolumeDiff } from "./volumes.ts";

/** What differs between two backups, or between a backup and what runs. */
export interface BackupDiff {
  readonly objects: ObjectsDiff;
  /** Absent where volumes were not compared. */
  readonly volumes?: readonly VolumeDiff[];
  /** What could not be read of the running cluster. */
  readonly unread: readonly string[];
}

/** Compares two backups: their objects, and the files of their volumes unless those are not wanted. */
export async function diffBackups(
  place: BrowsePlace,
  [before, after]: readonly [string, string],
  { filter, volumes }: { readonly filter: DiffFilter; readonly volumes: boolean },
  signal: AbortSignal,
): Promise<BackupDiff> {
  const [a, b] = [await openBackup(place, before, signal), await openBackup(place, after, signal)];
  const seen = { filter, rights: a.rights };
  const objects = await diffObjects(
    archivedSide(place, before, seen, signal),
    archivedSide(place, after, seen, signal),
  );
  return {
    objects,
    ...(volumes && { volumes: await diffVolumes(place, a, b, filter, signal) }),
    unread: [],
  };
}

/** Compares the objects of a backup with those that run now. */
export async function diffLive(
  place: BrowsePlace & { readonly client: Pick<Client, "discover" | "items"> },
  backup: string,
  filter: DiffFilter,
  signal: AbortSignal,
): Promise<BackupDiff> {
  const { rights } = await openBackup(place, backup, signal);
  const unread: string[] = [];
  const hidden = new Set<string>();
  const onUnread = (at: Place, why: string) => {
    const resource = groupResource(at);
    hidden.add(`${resource} ${at.namespace ?? ""}`);
    unread.push(`${resource}${at.namespace === undefined ? "" : ` in "${at.namespace}"`}: ${why}`);
  };
  const archived = remembering(archivedSide(place, backup, { filter, rights }, signal));
  const live = liveSide(place.client, archived.places, onUnread, signal);
  const objects = await diffObjects(archived.side, live);
  // What could not be looked for is not gone.
  const removed = objects.removed.filter(
    ({ resource, namespace = "" }) => !hidden.has(`${resource} ${namespace}`),
  );
  return { objects: { ...objects, removed }, unread };
}
