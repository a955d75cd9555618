import {
  type Backup,
  grammar,
  kinds,
  readStoredBackup,
  readStoredPodVolumeBackups,
  readStoredSnapshotRecords,
  type Schedule,
  type VolumePluginBackup,
  veleroNames,
} from "../../api/index.ts";
import { AppError } from "../../errors.ts";
import { labelValue, resourceOf } from "../../kube/index.ts";
import { type BackupFile, backupKey, type Store, storedList, storedMetadata } from "../../store/index.ts";
import type { BackupDeps } from "./deps.ts";
import { Refusals } from "./refusals.ts";
import {
  type ImportPlace,
  importedBackup,
  importedSnapshot,
  importedVolume,
  isAnothers,
} from "./sync-plan.ts";
import { ignoreExisting, ignoreNotFound } from "./tolerate.ts";

const backups = resourceOf(kinds.Backup);
const volumes = resourceOf(kinds.PodVolumeBackup);
const snapshots = resourceOf(kinds.VolumePluginBackup);
const schedules = resourceOf(kinds.Schedule);
/** The version of the snapshots of a backup that has none. */
const none = "none";
/** What an import reads. */
const read: readonly BackupFile[] = ["metadata", "podVolumeBackups", "volumePluginBackups"];

/** A folder of a location that is named like a backup. */
export interface FoundBackup {
  readonly store: Store;
  readonly location: string;
  readonly backup: string;
  /** The Backup of that name here. */
  readonly known: Backup | undefined;
}

type ImportDeps = Pick<BackupDeps, "client" | "namespace" | "clock" | "log">;

/** Brings stored backups into the cluster. Nothing of a backup comes in before all of it is known to be in order. */
export class Imports {
  readonly #deps: ImportDeps;
  readonly #refusals = new Refusals();
  /** Which version of its snapshots a Backup has here, and how many, by its uid; bounded by the Backups of the cluster. */
  readonly #complete = new Map<string, { readonly version: string; readonly count: number }>();
  /** How many snapshots each Backup has here, by its uid, as far as this look has asked. */
  #here: ReadonlyMap<string, number> | undefined;

  constructor(deps: ImportDeps) {
    this.#deps = deps;
  }

  /** Begins a look at a location. */
  begin(location: string): void {
    this.#refusals.begin(location);
    this.#here = undefined;
  }

  /** How many backups of a location cannot be imported as they are, after a look at all of them. */
  refusedOf(location: string): number {
    return this.#refusals.end(location);
  }

  /** Brings what is missing of a backup, and returns whether there is one. One that is refused is said once, and not read again until it changes. */
  async bring(found: FoundBackup, signal: AbortSignal): Promise<boolean> {
    const { store, location, backup, known } = found;
    if (!grammar.name.fits(backup)) {
      const error = new AppError("STORED_INVALID", "its folder has no name that a backup can have");
      if (this.#refusals.add(location, backup, undefined, error.message)) this.#say(found, error);
      return false; // and no Backup here can have it either
    }
    if ((await store.head(backupKey(backup, "metadata"), signal)) === undefined) return false;
    const refused = this.#refusals.seen(location, backup);
    if (refused !== undefined && refused === (await versionOf(store, backup, read, signal))) return true;
    try {
      if (known === undefined) await this.#import(found, signal);
      else await this.#completeOne(store, known, location, signal);
      this.#refusals.clear(location, backup);
    } catch (error) {
      signal.throwIfAborted();
      const stays = error instanceof AppError && !error.retry;
      const version = stays ? await versionOf(store, backup, read, signal) : undefined;
      // What may pass is tried at the next sync, and said each time.
      if (!stays || this.#refusals.add(location, backup, version, error.message)) this.#say(found, error);
    }
    return true;
  }

  #say({ location, backup }: FoundBackup, error: unknown): void {
    // A name of a bucket may hold anything: quoted as JSON it stays on its line.
    const name = JSON.stringify(backup.slice(0, 253));
    this.#deps.log("error", `backup ${name} of location "${location}" cannot be imported`, { error });
  }

  async #import({ store, location, backup: name }: FoundBackup, signal: AbortSignal): Promise<void> {
    const { client, namespace, clock, log } = this.#deps;
    const file = backupKey(name, "metadata");
    const stored = readStoredBackup(await storedMetadata(store, name, signal), file, name);
    const here = await client.list<Schedule>(schedules, { namespace }, signal);
    const wanted = importedBackup(stored, {
      namespace,
      location,
      locationLabel: labelValue(location),
      schedules: new Map(here.flatMap(({ metadata: { uid, name } }) => (uid ? [[uid, name] as const] : []))),
      nowMs: clock.now(),
    });
    if (!wanted) return;
    const copies = await this.#copies(store, name, signal);
    const records = await this.#records(store, name, signal);
    const made = await client.create<Backup>(backups, wanted, {}, signal).catch(ignoreExisting);
    if (!made) return;
    log("info", `backup "${name}" was found in location "${location}"`);
    const place = this.#place(name, location);
    for (const copy of copies) {
      const volume = importedVolume(copy, made, place);
      if (volume) await client.create(volumes, volume, {}, signal).catch(ignoreExisting);
    }
    await this.#importSnapshots(records, made, location, signal);
  }

  /** What the plugins said of the snapshots of a backup, for whoever restores it here. */
  async #importSnapshots(
    records: readonly VolumePluginBackup[],
    backup: Backup,
    location: string,
    signal: AbortSignal,
  ): Promise<number> {
    const { client, namespace } = this.#deps;
    const { name } = backup.metadata;
    let count = 0;
    for (const stored of records) {
      const wanted = importedSnapshot(stored, backup, this.#place(name, location));
      if (!wanted) continue; // it comes in when its plugin has ended, and has said so in the store
      count += 1;
      const made = await client.create(snapshots, wanted, {}, signal).catch(ignoreExisting);
      if (made || !isAnothers(stored, backup)) continue;
      // Where the snapshot was taken, its plugin had more to say.
      const { spec, status } = stored;
      const patch = { type: "merge", body: { spec: { ...spec, backup: name }, status } } as const;
      await client.patch(snapshots, stored.metadata.name, patch, { namespace }, signal).catch(ignoreNotFound);
    }
    return count;
  }

  /** Brings what is missing or has changed of a backup that is here: what is stored is looked at when it is new to us. */
  async #completeOne(store: Store, backup: Backup, location: string, signal: AbortSignal): Promise<void> {
    const { uid, name } = backup.metadata;
    const isOver = backup.status?.phase === "Completed" || backup.status?.phase === "PartiallyFailed";
    const known = uid === undefined ? undefined : this.#complete.get(uid);
    if (uid === undefined || !isOver || known?.version === none) return;
    const version = await versionOf(store, name, ["volumePluginBackups"], signal);
    // A store that does not tell its versions is read each time.
    if (known !== undefined && known.version === version && !(await this.#lacks(uid, known.count, signal)))
      return;
    const records = await this.#records(store, name, signal);
    const count = await this.#importSnapshots(records, backup, location, signal);
    if (version !== undefined) this.#complete.set(uid, { version, count });
  }

  /** Whether a Backup has fewer snapshots here than came in: somebody deleted one. One list for each look. */
  async #lacks(uid: string, count: number, signal: AbortSignal): Promise<boolean> {
    if (count === 0) return false;
    const { client, namespace } = this.#deps;
    if (!this.#here) {
      const here = new Map<string, number>();
      for (const { metadata } of await client.list<VolumePluginBackup>(snapshots, { namespace }, signal)) {
        const owner = metadata.labels?.[veleroNames.backupUid] ?? "";
        here.set(owner, (here.get(owner) ?? 0) + 1);
      }
      this.#here = here;
    }
    return (this.#here.get(uid) ?? 0) < count;
  }

  async #copies(store: Store, name: string, signal: AbortSignal) {
    const list = await storedList(store, name, "podVolumeBackups", signal);
    return readStoredPodVolumeBackups(list, backupKey(name, "podVolumeBackups"));
  }

  async #records(store: Store, name: string, signal: AbortSignal) {
    const list = await storedList(store, name, "volumePluginBackups", signal);
    return readStoredSnapshotRecords(list, backupKey(name, "volumePluginBackups"));
  }

  #place(backup: string, location: string): ImportPlace {
    return { namespace: this.#deps.namespace, location, backupLabel: labelValue(backup) };
  }
}

/** The version of files of a backup as the store tells it; "none" when there are none, undefined when the store does not tell. */
async function versionOf(
  store: Store,
  backup: string,
  files: readonly BackupFile[],
  signal: AbortSignal,
): Promise<string | undefined> {
  const versions: string[] = [];
  for (const file of files) {
    const info = await store.head(backupKey(backup, file), signal);
    if (info !== undefined && info.modifiedAt === undefined) return undefined;
    versions.push(info === undefined ? none : `${info.bytes ?? ""} ${info.modifiedAt?.getTime() ?? ""}`);
  }
  return versions.join(", ");
}
