/**
 * Which items a backup holds: guards against storing one twice and becomes the resource list.
 *
 * Grows with the backup, by one short string an item.
 */
export class Inventory {
  readonly #kinds = new Map<string, Map<string, Set<string>>>();
  readonly #namespaces = new Set<string>();
  /** Items that could not be stored: who meets them again passes over them. Bounded by the failures. */
  readonly #lost = new Set<string>();
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** Notes an item; false when it was there already, or was lost. */
  add(kind: string, namespace: string | undefined, name: string): boolean {
    if (this.#lost.has(lostKey(kind, namespace, name))) return false;
    const places = getOr(this.#kinds, kind, () => new Map<string, Set<string>>());
    const names = getOr(places, namespace ?? "", () => new Set<string>());
    if (names.has(name)) return false;
    names.add(name);
    this.#count += 1;
    if (namespace !== undefined) this.#namespaces.add(namespace);
    return true;
  }

  has(kind: string, namespace: string | undefined, name: string): boolean {
    return (
      this.#kinds
        .get(kind)
        ?.get(namespace ?? "")
        ?.has(name) ?? false
    );
  }

  /** Whether there is any item of this kind. */
  hasKind(kind: string): boolean {
    return this.#kinds.has(kind);
  }

  /** Takes an item out again: it could not be stored after all. */
  remove(kind: string, namespace: string | undefined, name: string): void {
    const there = this.#kinds
      .get(kind)
      ?.get(namespace ?? "")
      ?.delete(name);
    if (there) this.#count -= 1;
    this.#lost.add(lostKey(kind, namespace, name));
  }

  /** Whether any item lives in this namespace. */
  holds(namespace: string): boolean {
    return this.#namespaces.has(namespace);
  }

  /** The resource list in pieces of bounded size: `{"apps/v1/Deployment":["shop/web"],…}`, everything sorted. */
  *json(): Generator<string> {
    yield "{";
    let first = true;
    for (const kind of [...this.#kinds.keys()].toSorted()) {
      const names = [...this.#names(kind)].toSorted();
      if (names.length === 0) continue;
      yield `${first ? "" : ","}${JSON.stringify(kind)}:[`;
      first = false;
      for (let at = 0; at < names.length; at += 1000) {
        const part = names.slice(at, at + 1000).map((name) => JSON.stringify(name));
        yield (at === 0 ? "" : ",") + part.join(",");
      }
      yield "]";
    }
    yield "}";
  }

  *#names(kind: string): Generator<string> {
    for (const [namespace, names] of this.#kinds.get(kind) ?? []) {
      for (const name of names) yield namespace === "" ? name : `${namespace}/${name}`;
    }
  }
}

function lostKey(kind: string, namespace: string | undefined, name: string): string {
  return [kind, namespace ?? "", name].join("\n");
}

function getOr<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const found = map.get(key);
  if (found !== undefined) return found;
  const made = make();
  map.set(key, made);
  return made;
}
