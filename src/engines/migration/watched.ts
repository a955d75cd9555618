import type { Kind, KubeObject, ObjectReference } from "../../api/index.ts";
import { Controller, keyOf, type Outcome, type View } from "../../kube/index.ts";
import type { MigrationDeps } from "./run.ts";

/** The objects of one kind of this room: known, and looked at when they change. */
export class Watched<T extends KubeObject> {
  readonly controller: Controller;
  readonly #namespace: string;
  readonly #view: View<T>;

  constructor(
    deps: Pick<MigrationDeps, "cache" | "namespace" | "log" | "clock">,
    kind: Kind,
    look: (object: T, signal: AbortSignal) => Promise<Outcome>,
    /** Told when something changed that others look at, too. */
    changed: (object: T) => void,
  ) {
    const { cache, namespace, log, clock } = deps;
    this.#namespace = namespace;
    this.controller = new Controller({
      clock,
      workers: 4,
      backoff: { firstMs: 500, maxMs: 10_000 },
      reconcile: async (key, signal) => {
        const object = this.#view.get(key);
        return object ? look(object, signal) : undefined;
      },
      onError: (key, error) => log("warning", `${kind.kind} "${key}" is tried again`, { error }),
    });
    this.#view = cache.view<T>(kind, {
      namespace,
      onChange: (key, now, before) => {
        this.controller.add(key);
        const either = now ?? before;
        // A status that changes nothing for others is not worth their look.
        if (either && verdict(now) !== verdict(before)) changed(either);
      },
      onError: (error) => log("warning", `cannot watch ${kind.plural}`, { error }),
    });
  }

  list(): readonly T[] {
    return [...this.#view.objects()];
  }

  find(ref: ObjectReference | undefined): T | undefined {
    return ref?.name ? this.#view.get(`${ref.namespace || this.#namespace}/${ref.name}`) : undefined;
  }

  /** Wants a look at every object. */
  addAll(): void {
    for (const object of this.#view.objects()) this.controller.add(keyOf(object));
  }

  watch(signal: AbortSignal): Promise<void> {
    return this.#view.run(signal);
  }

  synced(signal: AbortSignal): Promise<void> {
    return this.#view.synced(signal);
  }
}

/** What others look at: the spec, and which conditions hold. */
function verdict(object: KubeObject | undefined): string {
  if (!object) return "";
  const { spec, status } = object as KubeObject & {
    readonly spec?: unknown;
    readonly status?: { readonly phase?: string; readonly conditions?: readonly { readonly type: string }[] };
  };
  const types = (status?.conditions ?? []).map(({ type }) => type).toSorted();
  return JSON.stringify([object.metadata.uid, spec, types, status?.phase === "Completed"]);
}
