import { gzipSync } from "node:zlib";
import { type Backup, type BackupStorageLocation, kinds } from "../api/index.ts";
import { type RootObject, rootStateOf } from "../kinds/index.ts";
import { type Cache, type Client, resourceOf, type View } from "../kube/index.ts";
import { type HistoryShelf, readParcel } from "../observe/index.ts";
import type { Tracked } from "../progress/index.ts";
import { backupKey, type Store, storedJson } from "../store/index.ts";
import type { OperatorDeps } from "./deps.ts";

/** What a courier needs. */
export interface CourierOptions {
  readonly client: Pick<Client, "get">;
  readonly cache: Cache;
  readonly namespace: string;
  readonly shelf: Pick<HistoryShelf, "parcel" | "adopt">;
  readonly openStore: OperatorDeps["openStore"];
  /** Lessons that cannot be carried cost estimates, nothing else: it is told here. */
  readonly onError: (error: unknown) => void;
}

const locations = resourceOf(kinds.BackupStorageLocation);
/** Far more than a parcel comes to. */
const limits = { packedBytes: 1024 ** 2, bytes: 4 * 1024 ** 2, values: 500_000, depth: 16 };

/**
 * Carries what runs taught: into the bucket beside the backup when a run ends, and out of it when a backup appears that was
 * made elsewhere. So the first restore in a new cluster has an estimate.
 *
 * One file at a time; what waits is bounded by the backups of the cluster.
 */
export class HistoryCourier {
  readonly #options: CourierOptions;
  /** Backups by name that were looked after already. */
  readonly #fetched = new Set<string>();
  readonly #view: View<Backup>;
  #signal: AbortSignal | undefined;
  #work: Promise<void> = Promise.resolve();

  constructor(options: CourierOptions) {
    this.#options = options;
    const { cache, namespace } = options;
    this.#view = cache.view<Backup>(kinds.Backup, {
      namespace,
      onChange: (_, now, before) => {
        if (now && this.#signal) this.#seen(now, this.#signal);
        else if (!now && before) this.#fetched.delete(before.metadata.name);
      },
    });
  }

  /** Fetches what lies beside the backups that are there and those that come, until the signal fires. */
  async run(signal: AbortSignal): Promise<void> {
    this.#signal = signal;
    await this.#view.run(signal);
    await this.#work;
  }

  /** A run of this cluster has ended, and its lessons are on the shelf: they go beside the backup that it made or used. */
  ended(object: RootObject, tracked: Tracked): void {
    const backup = object.kind === "Backup" ? object : this.#backupOf(object);
    if (!backup || !this.#signal || tracked.operation.state !== "completed") return;
    // Our own word needs no fetching.
    this.#fetched.add(backup.metadata.name);
    const signal = this.#signal;
    this.#queue(async () => {
      const parcel = this.#options.shelf.parcel(backup, tracked);
      const store = parcel && (await this.#storeOf(backup, signal));
      const key = backupKey(backup.metadata.name, "history");
      // A backup that is being deleted gets no new file: nobody would delete that.
      if (!store || this.#isGoing(backup)) return;
      await store.put(key, gzipSync(JSON.stringify(parcel)), signal);
      if (this.#isGoing(backup)) await store.delete(key, signal);
    }, signal);
  }

  #isGoing({ metadata: { name, uid } }: Backup): boolean {
    const now = this.#view.get(`${this.#options.namespace}/${name}`);
    return now === undefined || now.metadata.uid !== uid || now.status?.phase === "Deleting";
  }

  #backupOf(object: RootObject): Backup | undefined {
    const name = object.kind === "Restore" ? object.spec?.backupName : undefined;
    return name ? this.#view.get(`${this.#options.namespace}/${name}`) : undefined;
  }

  #seen(backup: Backup, signal: AbortSignal): void {
    const { name } = backup.metadata;
    const state = rootStateOf(backup);
    if ((state !== "completed" && state !== "partially-failed") || this.#fetched.has(name)) return;
    this.#fetched.add(name);
    this.#queue(async () => {
      const store = await this.#storeOf(backup, signal);
      const key = backupKey(name, "history");
      if ((await store.head(key, signal)) === undefined) return;
      const parcel = readParcel(await storedJson(store, key, { limits, packed: true }, signal));
      if (parcel) this.#options.shelf.adopt(backup, parcel);
    }, signal);
  }

  #queue(work: () => Promise<void>, signal: AbortSignal): void {
    this.#work = this.#work.then(work).catch((error: unknown) => {
      if (!signal.aborted) this.#options.onError(error);
    });
  }

  async #storeOf(backup: Backup, signal: AbortSignal): Promise<Store> {
    const { client, namespace, openStore } = this.#options;
    const name = backup.spec?.storageLocation ?? "default";
    const location = await client.get<BackupStorageLocation>(locations, name, { namespace }, signal);
    return openStore(location, signal);
  }
}
