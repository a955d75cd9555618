import { gunzipSync } from "node:zlib";
import {
  type Backup,
  type BackupStorageLocation,
  kinds,
  type PodVolumeBackup,
  parseGoDurationMs,
  type Schedule,
} from "../../api/index.ts";
import { labelValue, type Outcome, resourceOf } from "../../kube/index.ts";
import { backupKey, backupNames, type Store } from "../../store/index.ts";
import { timestamp } from "./admission.ts";
import type { BackupDeps } from "./deps.ts";
import { eachObject } from "./each-object.ts";
import { importedBackup, importedVolume, isOrphan } from "./sync-plan.ts";
import { ignoreExisting, ignoreNotFound } from "./tolerate.ts";

const backups = resourceOf(kinds.Backup);
const volumes = resourceOf(kinds.PodVolumeBackup);
const locations = resourceOf(kinds.BackupStorageLocation);
const schedules = resourceOf(kinds.Schedule);
const minuteMs = 60_000;

/** Brings backups that lie in a bucket into the cluster, and forgets those that are gone, until the signal fires. */
export function startSyncController(deps: BackupDeps, signal: AbortSignal): Promise<void> {
  const last = new Map<string, number>();
  return eachObject<BackupStorageLocation>(
    deps,
    kinds.BackupStorageLocation,
    async (location, _all, inner): Promise<Outcome> => {
      const { name } = location.metadata;
      const periodMs = parseGoDurationMs(location.spec?.backupSyncPeriod ?? "") ?? minuteMs;
      if (periodMs <= 0 || location.status?.phase !== "Available") return undefined;
      const before = last.get(name) ?? Number.NEGATIVE_INFINITY;
      const left = before + periodMs - deps.clock.now();
      if (left > 0) return { againAfterMs: left };
      last.set(name, deps.clock.now());
      await syncLocation(deps, location, inner);
      return { againAfterMs: periodMs };
    },
    signal,
  );
}

async function syncLocation(
  deps: BackupDeps,
  location: BackupStorageLocation,
  signal: AbortSignal,
): Promise<void> {
  const { client, namespace } = deps;
  const { name } = location.metadata;
  const store = await deps.openStore(location, signal);
  const here = new Map(
    (await client.list<Backup>(backups, { namespace }, signal)).map((b) => [b.metadata.name, b]),
  );
  const stored = new Set<string>();
  for await (const backup of backupNames(store, signal)) {
    if ((await store.head(backupKey(backup, "metadata"), signal)) === undefined) continue;
    stored.add(backup);
    if (here.has(backup)) continue;
    try {
      await importOne(deps, store, name, backup, signal);
    } catch (error) {
      signal.throwIfAborted();
      deps.log("error", `backup "${backup}" of location "${name}" cannot be imported`, { error });
    }
  }
  for (const backup of here.values()) {
    if (!isOrphan(backup, labelValue(name), stored)) continue;
    const { uid } = backup.metadata;
    await client.delete(backups, backup.metadata.name, { namespace, uid }, signal).catch(ignoreNotFound);
  }
  const body = { status: { lastSyncedTime: timestamp(deps.clock.now()) } };
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
  const key = backupKey(name, "podVolumeBackups");
  if ((await store.head(key, signal)) === undefined) return;
  const copies = JSON.parse(
    gunzipSync(await bytesOf(store, key, signal)).toString("utf8"),
  ) as readonly PodVolumeBackup[]; // written by us or upstream
  for (const copy of copies ?? []) {
    await client
      .create(volumes, importedVolume(copy, made, location, namespace), {}, signal)
      .catch(ignoreExisting);
  }
}

async function bytesOf(store: Store, key: string, signal: AbortSignal): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(await store.get(key, signal)));
}
