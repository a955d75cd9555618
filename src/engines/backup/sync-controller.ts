import { gunzipSync } from "node:zlib";
import {
  type Backup,
  type BackupStorageLocation,
  kinds,
  type PodVolumeBackup,
  type Schedule,
  type VolumePluginBackup,
} from "../../api/index.ts";
import { labelValue, type Outcome, resourceOf } from "../../kube/index.ts";
import { type BackupFile, backupKey, backupNames, type Store } from "../../store/index.ts";
import { timestamp } from "./admission.ts";
import type { BackupDeps } from "./deps.ts";
import { eachObject } from "./each-object.ts";
import { syncPeriod } from "./location-words.ts";
import { Missing, type Search } from "./missing.ts";
import { importedBackup, importedSnapshot, importedVolume, isAnothers } from "./sync-plan.ts";
import { ignoreExisting, ignoreNotFound } from "./tolerate.ts";

const backups = resourceOf(kinds.Backup);
const volumes = resourceOf(kinds.PodVolumeBackup);
const snapshots = resourceOf(kinds.VolumePluginBackup);
const locations = resourceOf(kinds.BackupStorageLocation);
const schedules = resourceOf(kinds.Schedule);
/** The version of the snapshots of a backup that has none. */
const none = "none";

/** Brings backups that lie in a bucket into the cluster, and forgets those that are gone, until the signal fires. */
export function startSyncController(deps: BackupDeps, signal: AbortSignal): Promise<void> {
  const last = new Map<string, number>();
  const missing = new Missing(deps);
  // Which version of its snapshots a Backup has here, by its uid; bounded by the Backups of the cluster, a word each.
  const complete = new Map<string, string>();
  return eachObject<BackupStorageLocation>(
    deps,
    kinds.BackupStorageLocation,
    async (location, all, inner): Promise<Outcome> => {
      const { name } = location.metadata;
      const { ms: periodMs } = syncPeriod(location);
      for (const known of last.keys()) {
        if (all.some(({ metadata }) => metadata.name === known)) continue;
        last.delete(known);
        missing.reset(known);
      }
      if (location.status?.phase !== "Available") missing.reset(name);
      if (periodMs === 0 || location.status?.phase !== "Available") return undefined;
      const begunMs = deps.clock.monotonic();
      const left = (last.get(name) ?? Number.NEGATIVE_INFINITY) + periodMs - begunMs;
      if (left > 0) return { againAfterMs: left };
      last.set(name, begunMs);
      const search = { location, begunMs, periodMs };
      await syncLocation(deps, search, { complete, missing }, inner);
      return { againAfterMs: periodMs };
    },
    signal,
  );
}

async function syncLocation(
  deps: BackupDeps,
  search: Pick<Search, "location" | "begunMs" | "periodMs">,
  { complete, missing }: { readonly complete: Map<string, string>; readonly missing: Missing },
  signal: AbortSignal,
): Promise<void> {
  const { client, namespace } = deps;
  const { location } = search;
  const { name } = location.metadata;
  const store = await deps.openStore(location, signal);
  const here = new Map(
    (await client.list<Backup>(backups, { namespace }, signal)).map((b) => [b.metadata.name, b]),
  );
  const stored = new Set<string>();
  for await (const backup of backupNames(store, signal)) {
    if ((await store.head(backupKey(backup, "metadata"), signal)) === undefined) continue;
    stored.add(backup);
    try {
      const known = here.get(backup);
      if (known === undefined) await importOne(deps, store, name, backup, signal);
      else await completeOne(deps, store, known, complete, signal);
    } catch (error) {
      signal.throwIfAborted();
      deps.log("error", `backup "${backup}" of location "${name}" cannot be imported`, { error });
    }
  }
  const annotations = await missing.forget({ ...search, here: here.values(), stored }, signal);
  const status = { lastSyncedTime: timestamp(deps.clock.now()) };
  const body = { ...(Object.keys(annotations).length > 0 && { metadata: { annotations } }), status };
  await client.patch(locations, name, { type: "merge", body }, { namespace }, signal);
}

async function importOne(
  deps: BackupDeps,
  store: Store,
  location: string,
  name: string,
  signal: AbortSignal,
): Promise<void> {
  const { client, namespace, clock } = deps;
  const stored = JSON.parse(
    (await bytesOf(store, backupKey(name, "metadata"), signal)).toString("utf8"),
  ) as Backup; // checked by importedBackup
  const known = await client.list<Schedule>(schedules, { namespace }, signal);
  const wanted = importedBackup(stored, {
    name,
    namespace,
    location,
    locationLabel: labelValue(location),
    scheduleUids: new Set(known.flatMap(({ metadata }) => metadata.uid ?? [])),
    nowMs: clock.now(),
  });
  if (!wanted) return;
  const made = await client.create<Backup>(backups, wanted, {}, signal).catch(ignoreExisting);
  if (!made) return;
  deps.log("info", `backup "${name}" was found in location "${location}"`);
  for (const copy of await listOf<PodVolumeBackup>(store, name, "podVolumeBackups", signal)) {
    await client
      .create(volumes, importedVolume(copy, made, location, namespace), {}, signal)
      .catch(ignoreExisting);
  }
  await importSnapshots(deps, store, made, signal);
}

/** What the plugins said of the snapshots of a backup, for whoever restores it here. */
async function importSnapshots(
  { client, namespace, log }: BackupDeps,
  store: Store,
  backup: Backup,
  signal: AbortSignal,
): Promise<void> {
  const { name } = backup.metadata;
  for (const stored of await listOf<VolumePluginBackup>(store, name, "volumePluginBackups", signal)) {
    const wanted = importedSnapshot(stored, backup, labelValue(name), namespace);
    if (!wanted) {
      log("warning", `backup "${name}" has a snapshot that does not say what it is of`);
      continue;
    }
    const made = await client.create(snapshots, wanted, {}, signal).catch(ignoreExisting);
    if (made || !isAnothers(stored, backup)) continue;
    // Where the snapshot was taken, its plugin had more to say.
    const { spec, status } = stored;
    const patch = { type: "merge", body: { spec: { ...spec, backup: name }, status } } as const;
    await client.patch(snapshots, stored.metadata.name, patch, { namespace }, signal).catch(ignoreNotFound);
  }
}

/** Brings what is missing or has changed of a backup that is here: what is stored is looked at when it is new to us. */
async function completeOne(
  deps: BackupDeps,
  store: Store,
  backup: Backup,
  complete: Map<string, string>,
  signal: AbortSignal,
): Promise<void> {
  const { uid, name } = backup.metadata;
  const isOver = backup.status?.phase === "Completed" || backup.status?.phase === "PartiallyFailed";
  const known = uid === undefined ? none : complete.get(uid);
  if (uid === undefined || !isOver || known === none) return;
  const info = await store.head(backupKey(name, "volumePluginBackups"), signal);
  const version = info ? `${info.bytes ?? ""} ${info.modifiedAt?.getTime() ?? ""}` : none;
  // A store that tells neither is read each time.
  if (known === version && info?.modifiedAt) return;
  await importSnapshots(deps, store, backup, signal);
  complete.set(uid, version);
}

async function listOf<T>(
  store: Store,
  backup: string,
  file: BackupFile,
  signal: AbortSignal,
): Promise<readonly T[]> {
  const key = backupKey(backup, file);
  if ((await store.head(key, signal)) === undefined) return [];
  const list: unknown = JSON.parse(gunzipSync(await bytesOf(store, key, signal)).toString("utf8"));
  return Array.isArray(list) ? list : []; // written by us or upstream
}

async function bytesOf(store: Store, key: string, signal: AbortSignal): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(await store.get(key, signal)));
}
