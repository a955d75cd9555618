import type { Clock } from "../../src/kube/index.ts";

/** A clock that moves only when a test says so; timers fire in order, with the promises in between settled. */
export class TestClock implements Clock {
  #nowMs: number;
  /** How far the wall clock was set away from the time that passed. */
  #setByMs = 0;
  #next = 0;
  readonly #timers = new Map<number, { readonly at: number; readonly call: () => void }>();

  constructor(startMs = 1_000_000) {
    this.#nowMs = startMs;
  }

  now(): number {
    return this.#nowMs + this.#setByMs;
  }

  monotonic(): number {
    return this.#nowMs;
  }

  /** Somebody sets the wall clock: timers and the monotonic time do not notice. */
  jump(byMs: number): void {
    this.#setByMs += byMs;
  }

  after(delayMs: number, call: () => void): () => void {
    const id = this.#next++;
    this.#timers.set(id, { at: this.#nowMs + Math.max(0, delayMs), call });
    return () => this.#timers.delete(id);
  }

  /** How many timers are set: a test can wait until the code under it waits. */
  get waiting(): number {
    return this.#timers.size;
  }

  /** Moves on by this much, firing what falls due on the way. */
  async advance(byMs: number): Promise<void> {
    const end = this.#nowMs + byMs;
    await settle();
    for (;;) {
      const due = [...this.#timers].filter(([, timer]) => timer.at <= end);
      const [first] = due.toSorted(([a, x], [b, y]) => x.at - y.at || a - b);
      if (!first) break;
      this.#timers.delete(first[0]);
      this.#nowMs = Math.max(this.#nowMs, first[1].at);
      first[1].call();
      await settle();
    }
    this.#nowMs = end;
  }
}

/** Lets every promise that can go on do so. */
export async function settle(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}
