import { asFolder, checkFolder, checkKey, checkPrefix } from "./key.ts";
import type { Entry, Store } from "./store.ts";

/** The part of a store below a prefix; keys are relative to it and cannot leave it. */
export function prefixed(store: Store, prefix: string): Store {
  const root = asFolder(prefix);
  if (root === "") return store;
  return {
    place: `${store.place}/${root.slice(0, -1)}`,
    put: async (key, body, signal) => store.put(root + checkKey(key), body, signal),
    get: async (key, signal) => store.get(root + checkKey(key), signal),
    async head(key, signal) {
      const found = await store.head(root + checkKey(key), signal);
      return found && { ...found, key };
    },
    async *list(below, options, signal) {
      for await (const entry of store.list(root + checkPrefix(below), options, signal))
        yield strip(entry, root);
    },
    delete: async (key, signal) => store.delete(root + checkKey(key), signal),
    deletePrefix: async (below, signal) => store.deletePrefix(root + checkFolder(below), signal),
    signedUrl: async (key, ttlSeconds) => store.signedUrl(root + checkKey(key), ttlSeconds),
  };
}

function strip(entry: Entry, root: string): Entry {
  return "prefix" in entry
    ? { prefix: entry.prefix.slice(root.length) }
    : { object: { ...entry.object, key: entry.object.key.slice(root.length) } };
}
