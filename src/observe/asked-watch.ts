import type { KubeObject } from "../api/index.ts";
import { type Clock, type Informer, sleep } from "../kube/index.ts";

/** Nobody has asked for so long: the watch ends. */
const restMs = 120_000;

/** A watch that stands only while its entries are asked for. The first answer is empty: it opens the watch. */
export class AskedWatch<P> {
  readonly #open: () => Informer<KubeObject, P>;
  readonly #clock: Clock;
  #informer: Informer<KubeObject, P> | undefined;
  #asked = Promise.withResolvers<void>();
  #askedAt = 0;

  constructor(open: () => Informer<KubeObject, P>, clock: Clock) {
    this.#open = open;
    this.#clock = clock;
  }

  /** What is known now. */
  entries(): Iterable<[string, P]> {
    this.#askedAt = this.#clock.monotonic();
    this.#asked.resolve();
    return this.#informer?.entries() ?? [];
  }

  /** Opens and ends the watch as it is asked for, until the signal fires. */
  async run(signal: AbortSignal): Promise<void> {
    const over = new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      signal.addEventListener("abort", () => resolve(), { once: true });
    });
    for (;;) {
      await Promise.race([this.#asked.promise, over]);
      if (signal.aborted) return;
      const stop = new AbortController();
      this.#informer = this.#open();
      const watching = this.#informer.run(AbortSignal.any([signal, stop.signal]));
      await this.#rest(signal);
      this.#asked = Promise.withResolvers();
      stop.abort();
      await watching;
      this.#informer = undefined;
    }
  }

  /** Until nobody has asked for some time. */
  async #rest(signal: AbortSignal): Promise<void> {
    for (;;) {
      const left = this.#askedAt + restMs - this.#clock.monotonic();
      if (left <= 0 || signal.aborted) return;
      await sleep(this.#clock, left, signal).catch(() => undefined); // it was told to end
    }
  }
}
