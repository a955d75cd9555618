import { gzipSync } from "node:zlib";
import {
  type Backup,
  type BackupStorageLocation,
  kinds,
  readStoredBackup,
  type VolumePluginBackup,
  veleroNames,
} from "../../api/index.ts";
import {
  type Cache,
  type Client,
  type Clock,
  Controller,
  isNotFound,
  type Log,
  type Outcome,
  resourceOf,
} from "../../kube/index.ts";
import { backupKey, type Store, storedList, storedMetadata } from "../../store/index.ts";
import { newerRecords } from "./records.ts";
import { resources } from "./resources.ts";

/** What keeping records needs. */
export interface RecordDeps {
  readonly client: Client;
  /** What is watched, once for the whole process. */
  readonly cache: Cache;
  readonly namespace: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly openStore: (location: BackupStorageLocation, signal: AbortSignal) => Promise<Store>;
}

const backups = resourceOf(kinds.Backup);
const locations = resourceOf(kinds.BackupStorageLocation);
/** However often a plugin writes, a backup's file is written no more often than this. */
const paceMs = 5_000;

/**
 * Stores VolumePluginBackups again when they change after their backup's end, until the signal fires: a plugin may have
 * something to say later, and whoever restores in another cluster should hear it.
 */
export async function startRecordKeeper(deps: RecordDeps, signal: AbortSignal): Promise<void> {
  // When each backup was looked at last; bounded by the backups with snapshots.
  const looked = new Map<string, number>();
  const records = deps.cache.view<VolumePluginBackup>(kinds.VolumePluginBackup, {
    namespace: deps.namespace,
    where: ({ metadata }) => metadata.labels?.[veleroNames.backupUid] !== undefined,
    onChange: (_key, now) => {
      if (now?.spec?.backup) controller.add(now.spec.backup);
    },
    onError: (error) => deps.log("warning", "cannot watch volumepluginbackups", { error }),
  });
  const controller = new Controller({
    clock: deps.clock,
    workers: 1,
    reconcile: async (name, inner): Promise<Outcome> => {
      const left = (looked.get(name) ?? Number.NEGATIVE_INFINITY) + paceMs - deps.clock.monotonic();
      if (left > 0) return { againAfterMs: left };
      looked.set(name, deps.clock.monotonic());
      const outcome = await keep(deps, name, inner);
      if (outcome === "gone") looked.delete(name);
      // Its run stores the objects at its end; what changes at that very moment must not be missed.
      return outcome === "running" ? { againAfterMs: paceMs } : undefined;
    },
    onError: (name, error) =>
      deps.log("warning", `snapshots of backup "${name}" cannot be stored`, { error }),
  });
  await Promise.all([records.run(signal), controller.run(signal)]);
}

async function keep(
  deps: RecordDeps,
  name: string,
  signal: AbortSignal,
): Promise<"gone" | "running" | "kept"> {
  const { client, namespace, log } = deps;
  const backup = await orNothing(client.get<Backup>(backups, name, { namespace }, signal));
  const { phase = "New" } = backup?.status ?? {};
  if (!backup || phase === "Deleting") return "gone";
  if (phase !== "Completed" && phase !== "PartiallyFailed")
    return phase.startsWith("Failed") ? "gone" : "running";
  const store = await storeOf(deps, backup, signal);
  if (!store || !(await isOwn(store, backup, signal))) return "gone";
  const query = { namespace, labelSelector: `${veleroNames.backupUid}=${backup.metadata.uid ?? ""}` };
  const now = await client.list<VolumePluginBackup>(resources.pluginBackups, query, signal);
  const records = newerRecords(await storedList(store, name, "volumePluginBackups", signal), now);
  if (!records) return "kept";
  await store.put(backupKey(name, "volumePluginBackups"), gzipSync(JSON.stringify(records)), signal);
  log("info", `snapshots of backup "${name}" changed after its end and were stored again`);
  return "kept";
}

async function storeOf(
  { client, namespace, openStore }: RecordDeps,
  { spec }: Backup,
  signal: AbortSignal,
): Promise<Store | undefined> {
  const name = spec?.storageLocation ?? "";
  const location = await orNothing(client.get<BackupStorageLocation>(locations, name, { namespace }, signal));
  return !location || location.spec?.accessMode === "ReadOnly" ? undefined : openStore(location, signal);
}

/** Whether this cluster made the backup: one that was brought here by the sync is another cluster's to write. */
async function isOwn(store: Store, { metadata }: Backup, signal: AbortSignal): Promise<boolean> {
  const stored = await storedMetadata(store, metadata.name, signal);
  if (stored === undefined) return false;
  const { uid } = readStoredBackup(stored, backupKey(metadata.name, "metadata"), metadata.name);
  return uid !== undefined && uid === metadata.uid;
}

async function orNothing<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
