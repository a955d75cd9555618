/** Where a warning or an error belongs: a target namespace, the cluster, or the restore as a whole. */
export type Place = { readonly namespace: string } | "cluster" | "velero";

/** One side of a results file; empty parts are left out, as upstream does. */
export interface Result {
  readonly velero?: readonly string[];
  readonly cluster?: readonly string[];
  readonly namespaces?: Readonly<Record<string, readonly string[]>>;
}

/** At most this many sentences are kept; the count goes on. Bounds memory where a cluster refuses everything. */
const kept = 2000;

/** Gathers what went wrong. The count is exact, the texts are bounded. */
export class Findings {
  #count = 0;
  readonly #velero: string[] = [];
  readonly #cluster: string[] = [];
  readonly #namespaces = new Map<string, string[]>();

  get count(): number {
    return this.#count;
  }

  add(place: Place, text: string): void {
    this.#count += 1;
    if (this.#count > kept) return;
    if (place === "velero") this.#velero.push(text);
    else if (place === "cluster") this.#cluster.push(text);
    else {
      const list = this.#namespaces.get(place.namespace);
      if (list === undefined) this.#namespaces.set(place.namespace, [text]);
      else list.push(text);
    }
  }

  result(): Result {
    const more = this.#count > kept ? [`and ${this.#count - kept} more, see the log`] : [];
    const velero = [...this.#velero, ...more];
    return {
      ...(velero.length > 0 && { velero }),
      ...(this.#cluster.length > 0 && { cluster: [...this.#cluster] }),
      ...(this.#namespaces.size > 0 && { namespaces: Object.fromEntries(this.#namespaces) }),
    };
  }
}

/** The place of an item by its target namespace, "" for cluster-scoped ones. */
export function placeOf(namespace: string): Place {
  return namespace === "" ? "cluster" : { namespace };
}
