import type { Spool } from "./archive/spool.ts";

/** How the work on an item ended. */
export type Outcome = "created" | "updated" | "failed" | "skipped";

/** How the work on an item ended, and why where that needs a reason: what the plan of a restore shows of it. */
export interface Ended {
  readonly outcome: Outcome;
  readonly reason?: string;
  /** It failed because something else has its name, which stays as it is. */
  readonly differs?: boolean;
  /** What was thrown, when something was. */
  readonly error?: unknown;
  /** The object as the cluster has it now; absent when it is not there. */
  readonly object?: object;
}

const codes: readonly Outcome[] = ["created", "updated", "failed", "skipped"];

/** What became of each item: two numbers an item, so that a million of them cost three megabytes. */
export class Outcomes {
  readonly #outcome: Uint8Array;
  readonly #kind: Uint16Array;
  readonly #kinds: string[] = [];
  readonly #kindIds = new Map<string, number>();
  /** Items that are not in the archive: namespaces, as `name(created)`. */
  readonly #others = new Map<string, string[]>();

  constructor(items: number) {
    this.#outcome = new Uint8Array(items);
    this.#kind = new Uint16Array(items);
  }

  /** Notes the end of an item; `kind` is `apps/v1/Deployment`. */
  set(ordinal: number, kind: string, outcome: Outcome): void {
    this.#outcome[ordinal] = codes.indexOf(outcome) + 1;
    this.#kind[ordinal] = this.#kindId(kind);
  }

  /** Notes an object that stands for itself. */
  add(kind: string, name: string, outcome: Outcome): void {
    const list = this.#others.get(kind) ?? [];
    list.push(`${name}(${outcome})`);
    this.#others.set(kind, list);
  }

  get(ordinal: number): Outcome | undefined {
    return codes[(this.#outcome[ordinal] ?? 0) - 1];
  }

  /** The resource list: kinds in order, each with its sorted items. One kind at a time is in memory as text. */
  *json(spool: Spool, target: (namespace: string) => string): Generator<string> {
    const kinds = [...new Set([...this.#kinds, ...this.#others.keys()])].toSorted();
    yield "{";
    let first = true;
    for (const kind of kinds) {
      const id = this.#kindIds.get(kind);
      const items = [...(this.#others.get(kind) ?? [])];
      for (let ordinal = 0; ordinal < this.#outcome.length; ordinal += 1) {
        const outcome = this.get(ordinal);
        if (outcome === undefined || id === undefined || this.#kind[ordinal] !== id) continue;
        const { namespace } = spool.groupOf(ordinal);
        const name = spool.nameOf(ordinal);
        items.push(`${namespace === "" ? "" : `${target(namespace)}/`}${name}(${outcome})`);
      }
      if (items.length === 0) continue;
      yield `${first ? "" : ","}${JSON.stringify(kind)}:${JSON.stringify(items.toSorted())}`;
      first = false;
    }
    yield "}";
  }

  #kindId(kind: string): number {
    const known = this.#kindIds.get(kind);
    if (known !== undefined) return known;
    this.#kinds.push(kind);
    this.#kindIds.set(kind, this.#kinds.length);
    return this.#kinds.length;
  }
}
