import { AppError } from "../../../errors.ts";
import { type Client, Informer } from "../../../kube/index.ts";
import { type PodObject, resources } from "../core-objects.ts";
import { labels } from "./identity.ts";

/** Knows every pod that actions made, from one watch. Bounded by the number of those pods. */
export class PodWatch {
  readonly #informer: Informer<PodObject, PodObject>;
  readonly #listeners = new Map<string, Set<(pod: PodObject | undefined) => void>>();

  /** The namespace is that of the ActionSets: operators of other namespaces have pods of their own. */
  constructor(client: Pick<Client, "pages" | "watch">, namespace: string, onError: (error: unknown) => void) {
    this.#informer = new Informer<PodObject, PodObject>({
      client,
      resource: resources.pods,
      query: { labelSelector: `${labels.set},${labels.namespace}=${namespace}` },
      project: ({ metadata, ...pod }) => ({ ...pod, metadata: { ...metadata, managedFields: [] } }),
      onChange: (key, now) => {
        for (const listener of this.#listeners.get(key) ?? []) listener(now);
      },
      onError,
    });
  }

  run(signal: AbortSignal): Promise<void> {
    return this.#informer.run(signal);
  }

  synced(signal: AbortSignal): Promise<void> {
    return this.#informer.synced(signal);
  }

  all(): PodObject[] {
    return [...this.#informer.entries()].map(([, pod]) => pod);
  }

  /** The pods of one ActionSet. */
  of(uid: string): PodObject[] {
    return this.all().filter(({ metadata }) => metadata.labels?.[labels.set] === uid);
  }

  /** Calls with the pod as it is, then with each change, until something other than undefined is returned. */
  until<T>(pod: PodObject, look: (pod: PodObject) => T | undefined, signal: AbortSignal): Promise<T> {
    const { namespace = "", name } = pod.metadata;
    const key = `${namespace}/${name}`;
    const known = this.#informer.get(key);
    return new Promise<T>((resolve, reject) => {
      signal.throwIfAborted();
      const leave = () => {
        signal.removeEventListener("abort", stop);
        const listeners = this.#listeners.get(key);
        listeners?.delete(take);
        if (listeners?.size === 0) this.#listeners.delete(key);
      };
      const stop = () => {
        leave();
        reject(signal.reason);
      };
      const take = (now: PodObject | undefined) => {
        if (now === undefined || now.metadata.uid !== pod.metadata.uid) {
          leave();
          return reject(
            new AppError("ACTION_POD", `pod "${key}" was deleted while it was needed`, { retry: false }),
          );
        }
        const found = look(now);
        if (found === undefined) return;
        leave();
        resolve(found);
      };
      signal.addEventListener("abort", stop, { once: true });
      const listeners = this.#listeners.get(key) ?? new Set();
      listeners.add(take);
      this.#listeners.set(key, listeners);
      // A pod that was just made may not have been heard of yet.
      take(known ?? pod);
    });
  }
}
