import { NameIndex } from "./name-index.ts";

/**
 * Which items a backup holds: guards against storing one twice and becomes the resource list.
 *
 * Grows with the backup, by an entry of the name index for each item.
 */
export class Inventory {
  readonly #index = new NameIndex();
  /** Groups of the index by kind and namespace; bounded by the cluster's kinds and namespaces. */
  readonly #groups = new Map<string, Map<string, number>>();
  #groupCount = 0;
  readonly #namespaces = new Set<string>();
  /** Numbers of items that could not be stored: who meets them again passes over them. Bounded by the failures. */
  readonly #lost = new Set<number>();
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** Notes an item; false when it was there already, or was lost. */
  add(kind: string, namespace: string | undefined, name: string): boolean {
    if (this.#index.add(this.#group(kind, namespace), name) === undefined) return false;
    this.#count += 1;
    if (namespace !== undefined) this.#namespaces.add(namespace);
    return true;
  }

  has(kind: string, namespace: string | undefined, name: string): boolean {
    const group = this.#groups.get(kind)?.get(namespace ?? "");
    const number = group === undefined ? undefined : this.#index.find(group, name);
    return number !== undefined && !this.#lost.has(number);
  }

  /** Whether there is any item of this kind. */
  hasKind(kind: string): boolean {
    return this.#groups.has(kind);
  }

  /** Takes an item out again: it could not be stored after all. */
  remove(kind: string, namespace: string | undefined, name: string): void {
    const group = this.#group(kind, namespace);
    const there = this.#index.find(group, name);
    const number = there ?? this.#index.add(group, name);
    if (number === undefined || this.#lost.has(number)) return;
    this.#lost.add(number);
    if (there !== undefined) this.#count -= 1;
  }

  /** Whether any item lives in this namespace. */
  holds(namespace: string): boolean {
    return this.#namespaces.has(namespace);
  }

  /** The resource list in pieces of bounded size: `{"apps/v1/Deployment":["shop/web"],…}`, everything sorted. */
  *json(): Generator<string> {
    yield "{";
    const numbers = this.#index.byGroup(this.#groupCount);
    let first = true;
    for (const kind of [...this.#groups.keys()].toSorted()) {
      let empty = true;
      for (const names of this.#names(kind, numbers)) {
        const part = names.map((name) => JSON.stringify(name)).join(",");
        yield empty ? `${first ? "" : ","}${JSON.stringify(kind)}:[${part}` : `,${part}`;
        first = false;
        empty = false;
      }
      if (!empty) yield "]";
    }
    yield "}";
  }

  /** The names of a kind in order, some at a time; a list is made of one namespace at a time only. */
  *#names(kind: string, numbers: readonly Uint32Array[]): Generator<readonly string[]> {
    const places = this.#groups.get(kind) ?? new Map<string, number>();
    const prefixes = [...places.keys()].map((namespace) => (namespace === "" ? "" : `${namespace}/`));
    // With the slash the order of namespaces is that of the whole names: "a-b/x" comes before "a/x".
    for (const prefix of prefixes.toSorted()) {
      const group = numbers[places.get(prefix.slice(0, -1)) ?? -1] ?? new Uint32Array();
      const names = Array.from(group)
        .filter((number) => !this.#lost.has(number))
        .map((number) => this.#index.nameOf(number))
        .toSorted();
      for (let at = 0; at < names.length; at += 1000)
        yield names.slice(at, at + 1000).map((name) => `${prefix}${name}`);
    }
  }

  #group(kind: string, namespace = ""): number {
    const places = this.#groups.get(kind) ?? new Map<string, number>();
    this.#groups.set(kind, places);
    const known = places.get(namespace);
    if (known !== undefined) return known;
    const group = this.#groupCount++;
    places.set(namespace, group);
    return group;
  }
}
