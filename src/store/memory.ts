import { AppError } from "../errors.ts";
import { checkFolder, checkKey, checkPrefix } from "./key.ts";
import type { Body, Entry, ListOptions, ObjectInfo, Store } from "./store.ts";

/** A store in memory, for tests of what uses stores. */
export class MemoryStore implements Store {
  readonly place = "memory";
  readonly #objects = new Map<string, { readonly bytes: Uint8Array; readonly modifiedAt: Date }>();

  async put(key: string, body: Body, signal?: AbortSignal): Promise<void> {
    checkKey(key);
    const chunks: Uint8Array[] = [];
    for await (const chunk of body instanceof Uint8Array ? [body] : body) {
      signal?.throwIfAborted();
      chunks.push(chunk);
    }
    signal?.throwIfAborted();
    this.#objects.set(key, { bytes: Buffer.concat(chunks), modifiedAt: new Date() });
  }

  async get(key: string, signal?: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
    checkKey(key);
    signal?.throwIfAborted();
    const found = this.#objects.get(key);
    if (found === undefined) throw new AppError("STORE_MISSING", `there is no "${key}" in memory`);
    const { bytes } = found;
    return (async function* () {
      signal?.throwIfAborted();
      yield bytes;
    })();
  }

  async head(key: string): Promise<ObjectInfo | undefined> {
    checkKey(key);
    const found = this.#objects.get(key);
    return found && { key, bytes: found.bytes.length, modifiedAt: found.modifiedAt };
  }

  async *list(prefix: string, options: ListOptions = {}, signal?: AbortSignal): AsyncGenerator<Entry> {
    checkPrefix(prefix);
    let folder: string | undefined;
    for (const key of [...this.#objects.keys()].toSorted(byBytes)) {
      signal?.throwIfAborted();
      if (!key.startsWith(prefix) || (folder !== undefined && key.startsWith(folder))) continue;
      const cut = options.delimiter === undefined ? -1 : key.indexOf(options.delimiter, prefix.length);
      if (cut >= 0) {
        folder = key.slice(0, cut + 1);
        yield { prefix: folder };
        continue;
      }
      const object = await this.head(key);
      if (object !== undefined) yield { object };
    }
  }

  async delete(key: string): Promise<void> {
    this.#objects.delete(checkKey(key));
  }

  async deletePrefix(prefix: string): Promise<number> {
    checkFolder(prefix);
    const doomed = [...this.#objects.keys()].filter((key) => key.startsWith(prefix));
    for (const key of doomed) this.#objects.delete(key);
    return doomed.length;
  }

  signedUrl(): Promise<undefined> {
    return Promise.resolve(undefined);
  }
}

function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
