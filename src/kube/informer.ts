import type { KubeObject } from "../api/index.ts";
import { isGone, isNotFound } from "./api-error.ts";
import { type Backoff, backoffMs } from "./backoff.ts";
import type { Client } from "./client.ts";
import { type Clock, sleep, systemClock } from "./clock.ts";
import type { Resource } from "./resource.ts";
import type { WatchQuery } from "./watch.ts";

/** What an informer keeps, and of what. */
export interface InformerOptions<T extends KubeObject, P> {
  readonly client: Pick<Client, "pages" | "watch">;
  readonly resource: Resource;
  readonly query?: Pick<WatchQuery, "namespace" | "labelSelector" | "fieldSelector" | "metadataOnly">;
  /** What is kept of each object: only this stays in memory. */
  readonly project: (object: T) => P;
  /** Told of each change after it is in the store; `now` is absent when the object is gone. */
  readonly onChange?: (key: string, now: P | undefined, before: P | undefined) => void;
  /** Told of each failure; the informer goes on by itself. */
  readonly onError?: (error: unknown) => void;
  readonly clock?: Clock;
  readonly random?: () => number;
  readonly backoff?: Backoff;
  /** A watch that says nothing for so long is asked for anew. */
  readonly quietMs?: number;
}

interface Slot<P> {
  value: P;
  /** Opaque: equal or not. */
  version: string;
  /** The list that saw it last. */
  round: number;
}

/** The key of an object: `namespace/name`, or the name alone for cluster-wide kinds. */
export function keyOf(object: Pick<KubeObject, "metadata">): string {
  const { name, namespace } = object.metadata;
  return namespace === undefined || namespace === "" ? name : `${namespace}/${name}`;
}

/**
 * Knows every object of a kind: a paged list, then a watch from where it ended, for as long as it runs. What it
 * cannot continue it lists again. Bounded by the number of objects times the size of a projection.
 */
export class Informer<T extends KubeObject, P> {
  readonly #options: InformerOptions<T, P>;
  readonly #clock: Clock;
  readonly #slots = new Map<string, Slot<P>>();
  readonly #synced = Promise.withResolvers<void>();
  #round = 0;
  #isSynced = false;

  constructor(options: InformerOptions<T, P>) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  /** The first list is in the store. */
  get isSynced(): boolean {
    return this.#isSynced;
  }

  get size(): number {
    return this.#slots.size;
  }

  /** What is kept of an object, as far as this informer has heard. */
  get(key: string): P | undefined {
    return this.#slots.get(key)?.value;
  }

  *entries(): Generator<[string, P]> {
    for (const [key, slot] of this.#slots) yield [key, slot.value];
  }

  /** Waits for the first list. */
  synced(signal?: AbortSignal): Promise<void> {
    if (!signal || this.#isSynced) return this.#synced.promise;
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      const stop = () => reject(signal.reason);
      signal.addEventListener("abort", stop, { once: true });
      void this.#synced.promise.then(() => {
        signal.removeEventListener("abort", stop);
        resolve();
      });
    });
  }

  /** Lists and watches until the signal fires. It ends for no other reason. */
  async run(signal: AbortSignal): Promise<void> {
    let version: string | undefined;
    let failures = 0;
    while (!signal.aborted) {
      const startedAt = this.#clock.monotonic();
      let heard = false;
      try {
        version ??= await this.#list(signal);
        for await (const next of this.#watch(version, signal)) {
          version = next;
          heard = true;
        }
      } catch (error) {
        if (signal.aborted) return;
        if (isGone(error)) version = undefined;
        if (isNotFound(error)) version = this.#kindIsGone();
        this.#options.onError?.(error);
      }
      // A watch that lived or said something was a good one; only the others are waited for longer and longer.
      const good = heard || this.#clock.monotonic() - startedAt > 10_000;
      failures = good ? 0 : failures + 1;
      if (!(await this.#pause(failures, signal))) return;
    }
  }

  async #list(signal: AbortSignal): Promise<string> {
    const { client, resource, query } = this.#options;
    this.#round += 1;
    let version = "";
    for await (const page of client.pages<T>(resource, { ...query, onExpired: "throw" }, signal)) {
      for (const object of page.items) this.#set(object);
      version = page.resourceVersion;
    }
    for (const [key, slot] of this.#slots) if (slot.round !== this.#round) this.#delete(key);
    this.#markSynced();
    return version;
  }

  async *#watch(from: string, signal: AbortSignal): AsyncGenerator<string> {
    const { client, resource, query, quietMs = 90_000, random = Math.random } = this.#options;
    const timeoutSeconds = Math.round(300 + 300 * random());
    const events = client.watch<T>(
      resource,
      { ...query, resourceVersion: from, quietMs, timeoutSeconds },
      signal,
    );
    for await (const event of events) {
      if (event.type === "DELETED") this.#delete(keyOf(event.object));
      else if (event.type !== "BOOKMARK") this.#set(event.object);
      yield event.resourceVersion;
    }
  }

  #set(object: T): void {
    const key = keyOf(object);
    const version = object.metadata.resourceVersion ?? "";
    const slot = this.#slots.get(key);
    if (slot?.version === version && version !== "") {
      slot.round = this.#round;
      return; // said twice, as relists and reconnects do
    }
    const before = slot?.value;
    const value = this.#options.project(object);
    if (slot) Object.assign(slot, { value, version, round: this.#round });
    else this.#slots.set(key, { value, version, round: this.#round });
    this.#options.onChange?.(key, value, before);
  }

  #delete(key: string): void {
    const slot = this.#slots.get(key);
    if (!slot) return;
    this.#slots.delete(key);
    this.#options.onChange?.(key, undefined, slot.value);
  }

  /** No such kind, so no such objects; it is asked for again, since definitions come late. */
  #kindIsGone(): undefined {
    for (const key of this.#slots.keys()) this.#delete(key);
    this.#markSynced();
  }

  #markSynced(): void {
    this.#isSynced = true;
    this.#synced.resolve();
  }

  async #pause(failures: number, signal: AbortSignal): Promise<boolean> {
    const { backoff = { firstMs: 500, maxMs: 15_000 }, random = Math.random } = this.#options;
    try {
      // Also after a good watch: a server that ends each one at once must not be asked in a loop.
      await sleep(this.#clock, backoffMs(backoff, Math.max(0, failures - 1), random()), signal);
      return true;
    } catch {
      return false; // told to stop
    }
  }
}
