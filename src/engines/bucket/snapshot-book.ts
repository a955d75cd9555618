/** Upstream stores the first eight digits of restic's ids. */
const shortDigits = 8;

/** The snapshots of one repository, and which of them a backup needs. */
export class SnapshotBook {
  readonly #ids = new Set<string>();
  readonly #short = new Map<string, string>();
  readonly #used = new Set<string>();

  get size(): number {
    return this.#ids.size;
  }

  /** How many no backup has asked for. */
  get unused(): number {
    return this.#ids.size - this.#used.size;
  }

  /** False when it was known. */
  add(id: string): boolean {
    if (this.#ids.has(id)) return false;
    this.#ids.add(id);
    this.#short.set(id.slice(0, shortDigits), id);
    return true;
  }

  /** Whether it is there; what was asked for is used. */
  use(id: string): boolean {
    const found = this.#find(id);
    if (found !== undefined) this.#used.add(found);
    return found !== undefined;
  }

  #find(id: string): string | undefined {
    if (this.#ids.has(id)) return id;
    const found = id.length < shortDigits ? undefined : this.#short.get(id.slice(0, shortDigits));
    return found?.startsWith(id) === true ? found : undefined;
  }
}
