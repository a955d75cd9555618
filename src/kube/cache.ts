import type { Kind, KubeObject } from "../api/index.ts";
import { type Clock, systemClock } from "./clock.ts";
import { Informer, type InformerOptions } from "./informer.ts";
import { resourceOf } from "./resource.ts";

/** What a cache needs. */
export interface CacheOptions {
  readonly client: InformerOptions<KubeObject, KubeObject>["client"];
  readonly clock?: Clock;
}

/** What somebody wants to know of a kind. */
export interface ViewOptions<T extends KubeObject> {
  /** One namespace, or all when absent. */
  readonly namespace?: string | undefined;
  /** Only objects for which it is true; asked again at each change. */
  readonly where?: (object: T) => boolean;
  /** Told of each change after it can be read; `now` is absent when the object is gone. What is there already comes first. */
  readonly onChange?: (key: string, now: T | undefined, before: T | undefined) => void;
  readonly onError?: (error: unknown) => void;
}

interface Shared {
  readonly informer: Informer<KubeObject, KubeObject>;
  readonly stop: AbortController;
  readonly views: Set<View<KubeObject>>;
}

/**
 * One watch for each kind of a process, however many look at it. A watch runs as long as somebody does. Managed fields are
 * not kept. Bounded by the objects of the kinds that are looked at.
 */
export class Cache {
  readonly #options: CacheOptions;
  readonly #shared = new Map<string, Shared>();
  /** Kinds of which somebody wants all namespaces, now or soon. */
  readonly #wide = new Set<string>();

  constructor(options: CacheOptions) {
    this.#options = options;
  }

  /** What somebody wants to know of a kind; nothing is asked of the server before the view runs. */
  view<T extends KubeObject>(kind: Kind, options: ViewOptions<T> = {}): View<T> {
    if (options.namespace === undefined) this.#wide.add(allOf(kind));
    return new View<T>(options, (view, signal) =>
      this.#join(kind, view as unknown as View<KubeObject>, signal),
    ); // its objects are of that kind
  }

  /** Watches that stand now. */
  get watches(): number {
    return this.#shared.size;
  }

  async #join(kind: Kind, view: View<KubeObject>, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const { key, shared } = this.#find(kind, view.namespace);
    shared.views.add(view);
    view.attach(shared.informer);
    await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
    shared.views.delete(view);
    if (shared.views.size > 0) return;
    this.#shared.delete(key);
    shared.stop.abort();
  }

  /** Whoever wants one namespace shares the watch of one who wants all of them, whoever comes first. */
  #find(kind: Kind, namespace: string | undefined): { readonly key: string; readonly shared: Shared } {
    const all = allOf(kind);
    const where = this.#wide.has(all) ? undefined : namespace;
    const key = `${all}${where ?? ""}`;
    return { key, shared: this.#shared.get(key) ?? this.#open(key, kind, where) };
  }

  #open(key: string, kind: Kind, namespace: string | undefined): Shared {
    const { client, clock = systemClock } = this.#options;
    // List items come without their type.
    const type = { apiVersion: `${kind.group}/${kind.version}`, kind: kind.kind };
    const views = new Set<View<KubeObject>>();
    const informer = new Informer<KubeObject, KubeObject>({
      client,
      clock,
      resource: resourceOf(kind),
      query: { namespace },
      project: (object) => ({ ...object, ...type, metadata: withoutFields(object.metadata) }),
      onChange: (name, now, before) => {
        for (const view of views) view.changed(name, now, before);
      },
      onError: (error) => {
        for (const view of views) view.failed(error);
      },
    });
    const shared = { informer, stop: new AbortController(), views };
    this.#shared.set(key, shared);
    void informer.run(shared.stop.signal);
    return shared;
  }
}

/** A kind as one of those who share its watch wants to see it. */
export class View<T extends KubeObject> {
  readonly #options: ViewOptions<T>;
  readonly #join: (view: View<T>, signal: AbortSignal) => Promise<void>;
  readonly #attached = Promise.withResolvers<Informer<KubeObject, KubeObject>>();
  #informer: Informer<KubeObject, KubeObject> | undefined;

  constructor(options: ViewOptions<T>, join: (view: View<T>, signal: AbortSignal) => Promise<void>) {
    this.#options = options;
    this.#join = join;
  }

  get namespace(): string | undefined {
    return this.#options.namespace;
  }

  /** Looks until the signal fires. */
  run(signal: AbortSignal): Promise<void> {
    return this.#join(this, signal);
  }

  /** Waits for the first list. */
  async synced(signal?: AbortSignal): Promise<void> {
    const informer = this.#informer ?? (await this.#attached.promise);
    await informer.synced(signal);
  }

  /** The object under `namespace/name`. */
  get(key: string): T | undefined {
    const found = this.#informer?.get(key);
    return found && this.#wants(found) ? found : undefined;
  }

  /** All objects that are wanted. */
  *objects(): Generator<T> {
    for (const [, object] of this.#informer?.entries() ?? []) if (this.#wants(object)) yield object;
  }

  /** The cache's side: from now on this is where it looks, and what is there already is news to it. */
  attach(informer: Informer<KubeObject, KubeObject>): void {
    this.#informer = informer;
    this.#attached.resolve(informer);
    for (const [key, object] of informer.entries()) this.changed(key, object, undefined);
  }

  /** The cache's side: an object changed. One that is no longer wanted is gone for this view. */
  changed(key: string, now: KubeObject | undefined, before: KubeObject | undefined): void {
    const [next, last] = [
      now && this.#wants(now) ? now : undefined,
      before && this.#wants(before) ? before : undefined,
    ];
    if (next || last) this.#options.onChange?.(key, next, last);
  }

  /** The cache's side: the watch failed and goes on by itself. */
  failed(error: unknown): void {
    this.#options.onError?.(error);
  }

  #wants(object: KubeObject): object is T {
    const { namespace, where } = this.#options;
    if (namespace !== undefined && object.metadata.namespace !== namespace) return false;
    return where?.(object as T) ?? true; // the kind of the view says what its objects are
  }
}

function allOf({ group, kind }: Kind): string {
  return `${group}/${kind}/`;
}

/** Managed fields are most of an object and tell nothing here. */
function withoutFields({
  managedFields: _fields,
  ...metadata
}: KubeObject["metadata"]): KubeObject["metadata"] {
  return metadata;
}
