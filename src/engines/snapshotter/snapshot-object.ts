import { type Backup, type VolumePluginBackup, veleroNames } from "../../api/index.ts";
import { type Client, isNotFound } from "../../kube/index.ts";
import { adoption } from "./adopt.ts";
import { backupMeta, newBackupObject, objectName } from "./objects.ts";
import type { OpenedLocation } from "./opened-locations.ts";
import { readPlace, type SnapshotPlace, type Way } from "./place.ts";
import { resources } from "./resources.ts";

/** How the store lists a snapshot, except who tells how far it is. */
export type Placed = Omit<SnapshotPlace, "way">;

/** A snapshot that was just taken. */
export interface Fresh {
  readonly backup: Backup;
  readonly volume: string;
  readonly opened: OpenedLocation;
  readonly snapshotID: string;
  readonly placed: Placed;
  readonly startTimestamp: string;
}

/** What writing objects needs. */
interface ObjectDeps {
  readonly client: Client;
  readonly namespace: string;
}

/** An object that cannot stand for the snapshot: the snapshot itself may be another one's, and is left alone. */
export class Foreign extends Error {
  override readonly name = "Foreign";
}

/** The object of a snapshot: the plugin's own, or one that we make. */
export async function snapshotObject(
  deps: ObjectDeps,
  fresh: Fresh,
  onRemark: (remark: string) => void,
  signal: AbortSignal,
): Promise<{ readonly object: VolumePluginBackup; readonly way: Way }> {
  const { client, namespace } = deps;
  const name = objectName(fresh.snapshotID);
  try {
    const place = { namespace };
    const own = await client.get<VolumePluginBackup>(resources.pluginBackups, name, place, signal);
    if (isSpent(own)) {
      await client.delete(resources.pluginBackups, name, { ...place, uid: own.metadata.uid }, signal);
      return await made(deps, fresh, signal);
    }
    return await adopted(deps, own, fresh, onRemark, signal);
  } catch (error) {
    if (!isNotFound(error)) throw error;
    return made(deps, fresh, signal);
  }
}

/** The object that a plugin made for a volume of a backup and that nobody has taken up yet. */
export async function strayObject(
  { client, namespace }: ObjectDeps,
  backup: string,
  volume: string,
  signal: AbortSignal,
): Promise<VolumePluginBackup | undefined> {
  const query = { namespace, labelSelector: `!${veleroNames.backupUid}` };
  for await (const one of client.items<VolumePluginBackup>(resources.pluginBackups, query, signal)) {
    if (one.spec?.backup === backup && one.spec.volume === volume) return one;
  }
  return undefined;
}

/** Ours, of a snapshot that was removed again: a plugin may give the same id twice. */
function isSpent({ metadata, status }: VolumePluginBackup): boolean {
  const way = readPlace(metadata.annotations)?.way;
  return status?.phase === "Canceled" && way !== undefined && way !== "own";
}

async function made({ client, namespace }: ObjectDeps, fresh: Fresh, signal: AbortSignal) {
  const { opened, placed, ...rest } = fresh;
  const way: Way = opened.snapshotter.progress ? "asked" : "silent";
  const { plugin } = opened;
  const wanted = newBackupObject({ ...rest, namespace, plugin, place: { ...placed, way } });
  const object = await client.create<VolumePluginBackup>(resources.pluginBackups, wanted, {}, signal);
  return { object, way };
}

async function adopted(
  { client, namespace }: ObjectDeps,
  own: VolumePluginBackup,
  { backup, volume, snapshotID, placed }: Fresh,
  onRemark: (remark: string) => void,
  signal: AbortSignal,
) {
  const { name, uid = "" } = backup.metadata;
  const judged = adoption(own, { backup: name, backupUid: uid, volume, snapshotID });
  if ("fault" in judged) throw new Foreign(judged.fault);
  for (const remark of judged.remarks) onRemark(remark);
  const way: Way = "own";
  const metadata = { ...backupMeta(backup, { ...placed, way }), uid: own.metadata.uid };
  const object = await client.patch<VolumePluginBackup>(
    resources.pluginBackups,
    own.metadata.name,
    { type: "merge", body: { metadata } },
    { namespace },
    signal,
  );
  return { object, way };
}
