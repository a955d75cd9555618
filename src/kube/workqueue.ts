import { type Backoff, backoffMs } from "./backoff.ts";
import { type Clock, systemClock } from "./clock.ts";

/** How a queue waits. */
export interface WorkQueueOptions {
  readonly clock?: Clock;
  readonly random?: () => number;
  readonly backoff?: Backoff;
}

/**
 * Names that want to be looked at. A name is in it once, however often it was added, and is never handed out twice
 * at a time: added while it is worked on, it comes again afterwards. Bounded by the number of names.
 */
export class WorkQueue {
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #backoff: Backoff;
  readonly #ready = new Set<string>();
  readonly #working = new Set<string>();
  /** Added while worked on. */
  readonly #again = new Set<string>();
  readonly #later = new Map<string, { readonly at: number; readonly cancel: () => void }>();
  readonly #failures = new Map<string, number>();
  readonly #takers = new Set<() => void>();
  #closed = false;

  constructor(options: WorkQueueOptions = {}) {
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? Math.random;
    this.#backoff = options.backoff ?? { firstMs: 500, maxMs: 300_000 };
  }

  /** Names that wait to be taken, not those that wait for their time. */
  get length(): number {
    return this.#ready.size;
  }

  /** Wants a look at this name now. */
  add(name: string): void {
    if (this.#closed) return;
    this.#later.get(name)?.cancel();
    this.#later.delete(name);
    if (this.#working.has(name)) this.#again.add(name);
    else this.#ready.add(name);
    this.#wake();
  }

  /** Wants a look after a while; of two times the earlier one counts. */
  addAfter(name: string, delayMs: number): void {
    if (this.#closed) return;
    const at = this.#clock.monotonic() + delayMs;
    const known = this.#later.get(name);
    if (this.#ready.has(name) || (known && known.at <= at)) return;
    known?.cancel();
    this.#later.set(name, { at, cancel: this.#clock.after(delayMs, () => this.add(name)) });
  }

  /** Wants a look after a wait that grows with each failure of this name. */
  retry(name: string): void {
    const failures = this.#failures.get(name) ?? 0;
    this.#failures.set(name, failures + 1);
    this.addAfter(name, backoffMs(this.#backoff, failures, this.#random()));
  }

  /** The name did well: its next failure waits as briefly as the first one did. */
  forget(name: string): void {
    this.#failures.delete(name);
  }

  /** The next name; undefined once the queue is closed. Call `done` with it afterwards. */
  async take(): Promise<string | undefined> {
    for (;;) {
      if (this.#closed) return undefined;
      const [name] = this.#ready;
      if (name !== undefined) {
        this.#ready.delete(name);
        this.#working.add(name);
        return name;
      }
      await new Promise<void>((resolve) => this.#takers.add(resolve));
    }
  }

  /** The work on a name is over. */
  done(name: string): void {
    this.#working.delete(name);
    if (!this.#again.delete(name) || this.#closed) return;
    this.#ready.add(name);
    this.#wake();
  }

  /** Hands out nothing more and stops every timer. */
  close(): void {
    this.#closed = true;
    for (const { cancel } of this.#later.values()) cancel();
    this.#later.clear();
    this.#ready.clear();
    for (const go of this.#takers) go();
    this.#takers.clear();
  }

  #wake(): void {
    const [go] = this.#takers;
    if (!go) return;
    this.#takers.delete(go);
    go();
  }
}
