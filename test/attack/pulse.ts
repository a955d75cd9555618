import { setTimeout as pause } from "node:timers/promises";

/** Asks an address again and again, and remembers the longest that an answer took. */
export class Pulse {
  longestMs = 0;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;

  constructor(url: string) {
    this.#running = this.#ask(url);
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #ask(url: string): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      const began = performance.now();
      await fetch(url, { signal: AbortSignal.timeout(120_000) }).then(
        (answer) => answer.text(),
        () => "", // no answer counts as a long one
      );
      this.longestMs = Math.max(this.longestMs, performance.now() - began);
      await pause(100);
    }
  }
}
