import type { BackupStorageLocation } from "../api/index.ts";
import { locationMask, readLocation } from "../engines/podvolume/index.ts";
import { type Client, maskErrors } from "../kube/index.ts";
import type { Plugins } from "../plugins/index.ts";
import {
  checkMarker,
  type LocationSpec,
  makeBucket,
  type OpenHow,
  openStore,
  type Store,
} from "../store/index.ts";
import { isOwnStore, openPluginStore } from "./plugin-store.ts";

interface Opened {
  readonly spec: string;
  readonly store: Promise<Store>;
  readonly close: () => Promise<void>;
}

/** Opens stores of locations: reads the Secrets they name and keeps the newest store of each, with its connections. */
export class Stores {
  readonly #client: Pick<Client, "get">;
  readonly #plugins: Plugins;
  readonly #tempDir: string;
  /** One entry a location; a changed spec or Secret replaces it. */
  readonly #opened = new Map<string, Opened>();

  constructor(client: Pick<Client, "get">, plugins: Plugins, tempDir: string) {
    this.#client = client;
    this.#plugins = plugins;
    this.#tempDir = tempDir;
  }

  /** Opens the store that the cluster knows by its marker; whoever looks after markers asks for it unchecked, or new. */
  async open(location: BackupStorageLocation, signal: AbortSignal, how: OpenHow = "checked"): Promise<Store> {
    const spec = await readLocation(this.#client, location, signal);
    if (how === "new" && isOwnStore(location)) await makeBucket(spec);
    const store = await this.#open(location, spec, signal);
    if (how === "checked") await checkMarker(store, location, signal);
    return store;
  }

  async #open(location: BackupStorageLocation, spec: LocationSpec, signal: AbortSignal): Promise<Store> {
    const key = `${location.metadata.namespace}/${location.metadata.name}`;
    const isOwn = isOwnStore(location);
    const text = JSON.stringify([isOwn, spec]);
    const known = this.#opened.get(key);
    if (known?.spec === text) return known.store;
    const opening = isOwn
      ? openStore(spec).then((store) => ({ store, close: async () => undefined }))
      : openPluginStore(this.#plugins, spec, this.#tempDir, signal);
    const close = async () => {
      const opened = await opening.catch(() => undefined); // there is nothing to close then
      await opened?.close();
    };
    // What a store or a plugin says of a failure goes into statuses and logs.
    const mask = locationMask(spec);
    const store = opening.then(
      (opened) => maskErrors(opened.store, mask),
      (error: unknown) => {
        throw mask.error(error);
      },
    );
    const entry: Opened = { spec: text, store, close };
    this.#opened.set(key, entry);
    // A location that could not be opened is tried anew the next time.
    entry.store.catch(() => {
      if (this.#opened.get(key) === entry) this.#opened.delete(key);
    });
    await known?.close();
    return entry.store;
  }

  /** Ends the plugins behind them. */
  async close(): Promise<void> {
    const all = [...this.#opened.values()];
    this.#opened.clear();
    await Promise.all(all.map(({ close }) => close()));
  }
}
