/** Told to those who wait: how many come before, and who is at work. */
export type OnWait = (ahead: number, holders: readonly string[]) => void;

interface Waiting {
  readonly go: () => void;
  readonly onWait: OnWait | undefined;
}

/** So many at a time, the others in the order in which they came. Bounded by those who wait. */
export class Slots {
  readonly #limit: number;
  /** Who is at work, under the titles they gave; the same one may come twice. */
  readonly #holders: string[] = [];
  #free: number;
  readonly #waiting = new Set<Waiting>();

  constructor(limit: number) {
    this.#limit = limit;
    this.#free = limit;
  }

  get limit(): number {
    return this.#limit;
  }

  /** Whether somebody who comes now has to wait. */
  get full(): boolean {
    return this.#free === 0;
  }

  /** Runs the work when a slot is free. */
  async run<T>(work: () => Promise<T>, signal: AbortSignal, title = "", onWait?: OnWait): Promise<T> {
    await this.#take(signal, title, onWait);
    try {
      return await work();
    } finally {
      this.#holders.splice(this.#holders.indexOf(title), 1);
      this.#give();
    }
  }

  #take(signal: AbortSignal, title: string, onWait: OnWait | undefined): Promise<void> {
    signal.throwIfAborted();
    if (this.#free > 0) {
      this.#free -= 1;
      this.#holders.push(title);
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const one: Waiting = {
        go: () => {
          signal.removeEventListener("abort", stop);
          this.#holders.push(title);
          resolve();
        },
        onWait,
      };
      const stop = () => {
        this.#waiting.delete(one);
        this.#tell();
        reject(signal.reason);
      };
      this.#waiting.add(one);
      signal.addEventListener("abort", stop, { once: true });
      onWait?.(this.#waiting.size - 1, this.#holders);
    });
  }

  #give(): void {
    const [next] = this.#waiting;
    if (!next) {
      this.#free += 1;
      return;
    }
    this.#waiting.delete(next);
    next.go();
    this.#tell();
  }

  #tell(): void {
    let ahead = 0;
    for (const { onWait } of this.#waiting) {
      onWait?.(ahead, this.#holders);
      ahead += 1;
    }
  }
}

/** `a free slot on node n1, number 2 in line; shop/db holds it`. */
export function slotWords(node: string, ahead: number, holders: readonly string[]): string {
  const place = ahead === 0 ? "next in line" : `number ${ahead + 1} in line`;
  const known = holders.filter((title) => title !== "");
  const some = known.slice(0, 3).join(", ");
  const more = known.length > 3 ? ` and ${known.length - 3} more` : "";
  const who = known.length === 0 ? "" : `; ${some}${more} ${known.length === 1 ? "is" : "are"} at work`;
  return `a free slot on node ${node}, ${place}${who}`;
}
