import type { Operation, Tracked } from "../progress/index.ts";
import type { Frame, Observer } from "./observer.ts";

/** What viewers use of an observer. */
export type Watched = Pick<Observer, "operations" | "operation" | "tracked" | "subscribe" | "synced">;

/** The id of an operation of one cluster among several: names of objects hold no `@`. */
export function idIn(cluster: string | undefined, id: string): string {
  return cluster === undefined || cluster === "" ? id : `${id}@${cluster}`;
}

/** An id in its parts; the cluster is empty where there is one only. */
export function splitId(id: string): { readonly id: string; readonly cluster: string } {
  const at = id.indexOf("@");
  return at < 0 ? { id, cluster: "" } : { id: id.slice(0, at), cluster: id.slice(at + 1) };
}

/** The operations of several clusters as one: each tells its cluster, and its id ends in it. One that is away keeps nothing from the others. */
export function united(clusters: ReadonlyMap<string, Watched>): Watched {
  const made = new WeakMap<Operation, Operation>();
  const named = (operation: Operation, cluster: string): Operation => {
    const known = made.get(operation);
    if (known) return known;
    const mine = { ...operation, id: idIn(cluster, operation.id), ref: { ...operation.ref, cluster } };
    made.set(operation, mine);
    return mine;
  };
  const inside = <T>(id: string, read: (observer: Watched, id: string) => T): T | undefined => {
    const parts = splitId(id);
    const observer = clusters.get(parts.cluster);
    return observer && read(observer, parts.id);
  };
  return {
    operations: () =>
      [...clusters].flatMap(([name, observer]) => observer.operations().map((each) => named(each, name))),
    operation(id) {
      const found = inside(id, (observer, own) => observer.operation(own));
      return found && named(found, splitId(id).cluster);
    },
    tracked: (id): Tracked | undefined => inside(id, (observer, own) => observer.tracked(own)),
    subscribe(listener) {
      const leave = [...clusters].map(([name, observer]) =>
        observer.subscribe(({ id, operation }: Frame) =>
          listener({ id: idIn(name, id), ...(operation && { operation: named(operation, name) }) }),
        ),
      );
      return () => leave.forEach((each) => each());
    },
    // Ready when one of them is: an unreachable cluster must not hide the others.
    synced: (signal) => Promise.any([...clusters.values()].map((observer) => observer.synced(signal))),
  };
}
