import type { BackupStorageLocation } from "../api/index.ts";
import { readLocation } from "../engines/podvolume/index.ts";
import type { Client } from "../kube/index.ts";
import { openStore, type Store } from "../store/index.ts";

/** Opens stores of locations: reads the Secrets they name and keeps the newest store of each, with its connections. */
export function storeOpener(client: Pick<Client, "get">) {
  // One entry a location; a changed spec or Secret replaces it.
  const opened = new Map<string, { readonly spec: string; readonly store: Promise<Store> }>();
  return async (location: BackupStorageLocation, signal: AbortSignal): Promise<Store> => {
    const spec = await readLocation(client, location, signal);
    const key = `${location.metadata.namespace}/${location.metadata.name}`;
    const text = JSON.stringify(spec);
    const known = opened.get(key);
    if (known?.spec === text) return known.store;
    const store = openStore(spec);
    opened.set(key, { spec: text, store });
    // A location that could not be opened is tried anew the next time.
    store.catch(() => opened.delete(key));
    return store;
  };
}
