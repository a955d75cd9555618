import { selects } from "../../apimachinery/index.ts";
import { type Api, objectOf, parse } from "../api.ts";
import { type KubeObject, mapAt } from "../object.ts";
import { ApiError } from "../status.ts";
import type { Change } from "../store.ts";

/** A loop that brings what is to what should be. Keys are `namespace/name` of its main resource. */
export interface Controller {
  readonly name: string;
  /** For each watched resource (by storage name), the keys that a changed object concerns. */
  readonly watches: Readonly<
    Record<string, (object: KubeObject, change: Change, api: Api) => readonly string[]>
  >;
  /** Looks at one key; may throw, then it is tried again. A number asks to be called again after that many ms. */
  reconcile(api: Api, namespace: string, name: string): number | void | Promise<number | void>;
}

/** The key of an object. */
export function keyOf(object: KubeObject): string {
  return `${object.metadata.namespace ?? ""}/${object.metadata.name}`;
}

/**
 * For the dependents of a resource: the keys of the controlling owner, of the one before when that changed, and for an object
 * that nobody controls those of every owner that could adopt it.
 */
export function ownerKeys(storage: string, kind: string): Controller["watches"][string] {
  return (object, change, api) => {
    const { namespace = "", ownerReferences, labels, deletionTimestamp } = object.metadata;
    const controllers = (o: KubeObject): string[] =>
      (o.metadata.ownerReferences ?? [])
        .filter((owner) => owner.kind === kind && owner.controller === true)
        .map((owner) => `${namespace}/${owner.name}`);
    const before = change.before === undefined ? [] : controllers(parse(change.before));
    const orphan = ownerReferences?.some((owner) => owner.controller === true) !== true;
    const takers =
      orphan && change.type !== "DELETED" && deletionTimestamp === undefined && labels !== undefined
        ? api.readAll(storage, namespace).filter((owner) => couldOwn(owner, labels))
        : [];
    return [...new Set([...controllers(object), ...before, ...takers.map(keyOf)])];
  };
}

/** Whether an owner's selector fits; one that is empty, takes nothing. */
function couldOwn(owner: KubeObject, labels: Readonly<Record<string, string>>): boolean {
  const selector = mapAt(owner.spec, "selector");
  return Object.keys(selector).length > 0 && selects(selector, labels);
}

/** Runs a controller until the signal; a queue holds each key once, so it is bounded by the number of objects. */
export function runController(api: Api, controller: Controller, signal: AbortSignal): void {
  const queue = new Set<string>();
  const failures = new Map<string, number>();
  let busy = false;

  const add = (key: string): void => {
    queue.add(key);
    if (!busy && !signal.aborted) {
      busy = true;
      setImmediate(() => void work());
    }
  };
  const later = (key: string, ms: number): void => {
    const timer = setTimeout(() => add(key), ms);
    timer.unref();
    signal.addEventListener("abort", () => clearTimeout(timer), { once: true });
  };
  const work = async (): Promise<void> => {
    for (const key of queue) {
      if (signal.aborted) return;
      queue.delete(key);
      const cut = key.indexOf("/");
      try {
        const again = await controller.reconcile(api, key.slice(0, cut), key.slice(cut + 1));
        failures.delete(key);
        if (typeof again === "number") later(key, again);
      } catch (error) {
        if (error instanceof ApiError && error.code === 404) continue; // deleted meanwhile: its own event follows
        const count = (failures.get(key) ?? 0) + 1;
        failures.set(key, count);
        later(key, Math.min(10_000, 20 * 2 ** count));
      }
    }
    busy = false;
    if (queue.size > 0) add([...queue][0] ?? "");
  };

  const unsubscribe = api.store.subscribe((change) => {
    const watch = controller.watches[change.resource] ?? controller.watches["*"];
    if (watch) for (const key of watch(objectOf(change), change, api)) add(key);
  });
  signal.addEventListener("abort", unsubscribe, { once: true });
  for (const [storage, watch] of Object.entries(controller.watches)) {
    if (storage === "*") continue;
    for (const row of api.store.list({ resource: storage })) {
      const change = { ...row, resource: storage, type: "ADDED" } as const;
      for (const key of watch(objectOf(row), change, api)) add(key);
    }
  }
}
