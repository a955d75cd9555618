import { formatTime, type VolumePluginBackup, type VolumeSnapshotLocation } from "../../api/index.ts";
import { messageOf } from "../../errors.ts";
import { isVolumeEnded } from "../../kinds/index.ts";
import { type Client, type Clock, isNotFound, type Log, type StatusWriter } from "../../kube/index.ts";
import type { SnapshotRequest } from "../../plugins/index.ts";
import type { Begun } from "./begun.ts";
import { type LocationDeps, type OpenedLocation, OpenedLocations } from "./opened-locations.ts";
import { readPlace } from "./place.ts";
import { resources } from "./resources.ts";

/** What removing the snapshots of a backup that came to nothing needs. */
export interface GiveUpDeps extends LocationDeps {
  readonly client: Pick<Client, "get" | "patch" | "delete">;
  readonly clock: Clock;
  readonly log: Log;
  readonly status: StatusWriter;
  readonly locations: readonly VolumeSnapshotLocation[];
  /** With what a snapshot was asked for. */
  readonly request: (begun: Begun) => SnapshotRequest;
  /** The trace of one that was asked for is no longer needed. */
  readonly ended: (volume: string) => Promise<void>;
}

/**
 * Removes snapshots that belong to no backup any more. One that cannot be removed keeps its object, which says why, and
 * goes when the backup is deleted; the others are removed all the same.
 */
export async function giveUp(
  deps: GiveUpDeps,
  { taken, begun }: { readonly taken: readonly VolumePluginBackup[]; readonly begun: readonly Begun[] },
  signal: AbortSignal,
): Promise<void> {
  // The plugins that the run had may have ended with it.
  const opened = new OpenedLocations(deps);
  const open = async (name: string): Promise<OpenedLocation> => {
    const location = deps.locations.find(({ metadata }) => metadata.name === name);
    if (!location) throw new Error(`volume snapshot location "${name}" is gone`);
    return opened.open(location, signal);
  };
  try {
    for (const object of taken) await remove(deps, object, open, signal);
    for (const one of begun) await removeBegun(deps, one, open, signal);
  } finally {
    await opened.close();
  }
}

async function remove(
  { client, namespace, clock, log, status }: GiveUpDeps,
  object: VolumePluginBackup,
  open: (location: string) => Promise<OpenedLocation>,
  signal: AbortSignal,
): Promise<void> {
  const { name, uid, annotations } = object.metadata;
  const snapshotID = object.status?.snapshotID || name;
  const target = { resource: resources.pluginBackups, namespace, name, uid };
  const end = (phase: string, message: string) =>
    status.finish(target, { status: { phase, message, completionTimestamp: formatTime(clock.now()) } });
  const why = "the backup did not come to its end";
  try {
    const { snapshotter } = await open(readPlace(annotations)?.location ?? "");
    await snapshotter.deleteSnapshot(snapshotID, signal);
    if (!isVolumeEnded(object.status)) return await end("Canceled", `${why}; the snapshot was removed`);
    // It has ended, and an end never changes; but the snapshot that it describes is gone.
    await client.delete(target.resource, name, { namespace, uid }, signal).catch(ignoreMissing);
  } catch (error) {
    const message = `${why}, and the snapshot cannot be removed: ${messageOf(error)}`;
    log("warning", `snapshot "${snapshotID}" is left behind`, { error: messageOf(error) });
    if (!isVolumeEnded(object.status)) return end("Failed", message);
    const body = { metadata: { uid }, status: { message } };
    await client.patch(target.resource, name, { type: "merge", body }, { namespace }, signal);
  }
}

async function removeBegun(
  { log, request, ended }: GiveUpDeps,
  begun: Begun,
  open: (location: string) => Promise<OpenedLocation>,
  signal: AbortSignal,
): Promise<void> {
  const { volume, location } = begun;
  try {
    const { snapshotter, plugin } = await open(location);
    if (!snapshotter.findSnapshot) throw new Error(`${plugin} cannot be asked for it`);
    const id = await snapshotter.findSnapshot(request(begun), signal);
    if (id !== "") await snapshotter.deleteSnapshot(id, signal);
    await ended(volume);
  } catch (error) {
    // The Backup keeps its annotation: that is the trace.
    const what = `a snapshot of volume "${volume}" may be left in location "${location}"`;
    log("warning", what, { error: messageOf(error) });
  }
}

function ignoreMissing(error: unknown): void {
  if (!isNotFound(error)) throw error;
}
