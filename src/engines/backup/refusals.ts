interface Refusal {
  readonly version: string | undefined;
  readonly words: string;
  /** The look at its location at which it was there. */
  readonly round: number;
}

/** What cannot be imported, and what was said of it. The newest are kept: whoever fills a bucket with bad backups must not fill our memory. */
export class Refusals {
  readonly #kept: number;
  /** In the order in which they were seen, by location and backup. */
  readonly #all = new Map<string, Refusal>();
  /** The number of the present look, by location. */
  readonly #rounds = new Map<string, number>();

  constructor(kept = 5_000) {
    this.#kept = kept;
  }

  /** Begins a look at a location. */
  begin(location: string): void {
    this.#rounds.set(location, this.#round(location) + 1);
  }

  /** Ends it: forgets what is no longer there, and returns how many are. */
  end(location: string): number {
    let count = 0;
    for (const [id, { round }] of this.#all) {
      if (!id.startsWith(key(location, ""))) continue;
      if (round === this.#round(location)) count += 1;
      else this.#all.delete(id);
    }
    return count;
  }

  /** Says that a backup is there; returns the version that was refused, undefined when none was or nobody knows which. */
  seen(location: string, backup: string): string | undefined {
    const before = this.#all.get(key(location, backup));
    if (before) this.add(location, backup, before.version, before.words);
    return before?.version;
  }

  /** Remembers a refusal; whether it is news. */
  add(location: string, backup: string, version: string | undefined, words: string): boolean {
    const id = key(location, backup);
    const before = this.#all.get(id);
    this.#all.delete(id);
    this.#all.set(id, { version, words, round: this.#round(location) });
    const [oldest] = this.#all.keys();
    if (this.#all.size > this.#kept && oldest !== undefined) this.#all.delete(oldest);
    return before?.words !== words || before.version !== version;
  }

  clear(location: string, backup: string): void {
    this.#all.delete(key(location, backup));
  }

  #round(location: string): number {
    return this.#rounds.get(location) ?? 0;
  }
}

/** No name of a location has a slash. */
function key(location: string, backup: string): string {
  return `${location}/${backup}`;
}
