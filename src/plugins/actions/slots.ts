/** One call under way. */
interface Call {
  /** Whether another call was under way at any moment of this one. */
  wasBeside: boolean;
}

/** Lets a number of calls in at a time; the others wait in their order. Bounded by the items that their caller has in hand. */
export class Slots {
  readonly #width: number;
  #free: number;
  readonly #waiting: (() => void)[] = [];
  readonly #calls = new Set<Call>();
  #alone: Promise<unknown> = Promise.resolve();

  constructor(width: number) {
    this.#width = Math.max(1, width);
    this.#free = this.#width;
  }

  /** Does some work in a slot. */
  async run<T>(work: (call: Readonly<Call>) => Promise<T>): Promise<T> {
    await this.#take();
    const call: Call = { wasBeside: this.#calls.size > 0 };
    for (const other of this.#calls) other.wasBeside = true;
    this.#calls.add(call);
    try {
      return await work(call);
    } finally {
      this.#calls.delete(call);
      this.#leave();
    }
  }

  /** Does some work while nothing else is done. */
  async runAlone<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#alone.catch(() => undefined).then(() => this.#withAll(work));
    this.#alone = turn;
    return turn;
  }

  async #withAll<T>(work: () => Promise<T>): Promise<T> {
    for (let held = 0; held < this.#width; held += 1) await this.#take();
    try {
      return await work();
    } finally {
      for (let held = 0; held < this.#width; held += 1) this.#leave();
    }
  }

  async #take(): Promise<void> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  #leave(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#free += 1;
  }
}
