import { formatTime } from "../../api/index.ts";

/** Where a warning or an error of a run belongs: a namespace, the cluster, or the run as a whole. */
export type FindingPlace = { readonly namespace: string } | "cluster" | "velero";

/** One side of a results file; empty parts are left out, as upstream does. */
export interface Result {
  readonly velero?: readonly string[];
  readonly cluster?: readonly string[];
  readonly namespaces?: Readonly<Record<string, readonly string[]>>;
}

/** At most this many sentences are kept of each side; the count goes on. Bounds memory where a cluster refuses everything. */
const kept = 2_000;

/** The warnings or the errors of a Backup or Restore, for its results file. The count is exact, the texts are bounded. */
export class Findings {
  #count = 0;
  readonly #velero: string[] = [];
  readonly #cluster: string[] = [];
  readonly #namespaces = new Map<string, string[]>();

  get count(): number {
    return this.#count;
  }

  add(place: FindingPlace, text: string): void {
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

/** The place of an item by its namespace; cluster-scoped items have none. */
export function findingPlace(namespace: string | undefined): FindingPlace {
  return namespace ? { namespace } : "cluster";
}

/** One line of a run's log as upstream writes it: `time="…" level=info msg="…" backup=velero/nightly namespace=shop`. */
export function logLine(
  atMs: number,
  level: "info" | "warning" | "error",
  message: string,
  fields: readonly (readonly [name: string, value: string | undefined])[],
): string {
  const rest = fields.flatMap(([name, value]) => (value === undefined ? [] : [` ${name}=${value}`]));
  return `time="${formatTime(atMs)}" level=${level} msg=${JSON.stringify(message)}${rest.join("")}\n`;
}
