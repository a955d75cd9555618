import { AppError } from "../errors.ts";
import { WorkQueue, type WorkQueueOptions } from "./workqueue.ts";

/** What a look at one name came to: nothing more to do, or look again after a while. */
export type Outcome = void | { readonly againAfterMs: number };

/** What a controller is made of. */
export interface ControllerOptions extends WorkQueueOptions {
  /** Level-triggered: reads what is, may be called twice, does nothing the second time. */
  readonly reconcile: (name: string, signal: AbortSignal) => Promise<Outcome>;
  /** Names worked on at a time. */
  readonly workers?: number;
  /** Told of each failure; `final` means that nothing is tried again until the name is added anew. */
  readonly onError?: (name: string, error: unknown, final: boolean) => void;
}

/** Looks at names as they come, some at a time, each again after a failure. */
export class Controller {
  readonly #queue: WorkQueue;
  readonly #options: ControllerOptions;

  constructor(options: ControllerOptions) {
    this.#options = options;
    this.#queue = new WorkQueue(options);
  }

  /** Something about this name changed. Changes before a look are one look. */
  add(name: string): void {
    this.#queue.add(name);
  }

  /** Names that wait for a worker. */
  get backlog(): number {
    return this.#queue.length;
  }

  /** Works until the signal fires, then lets running looks end; they see the signal too. */
  async run(signal: AbortSignal): Promise<void> {
    const close = () => this.#queue.close();
    if (signal.aborted) close();
    signal.addEventListener("abort", close, { once: true });
    try {
      await Promise.all(Array.from({ length: this.#options.workers ?? 4 }, () => this.#work(signal)));
    } finally {
      signal.removeEventListener("abort", close);
    }
  }

  async #work(signal: AbortSignal): Promise<void> {
    for (let name = await this.#queue.take(); name !== undefined; name = await this.#queue.take()) {
      try {
        const outcome = await this.#options.reconcile(name, signal);
        this.#queue.forget(name);
        if (outcome) this.#queue.addAfter(name, outcome.againAfterMs);
      } catch (error) {
        this.#failed(name, error, signal);
      } finally {
        this.#queue.done(name);
      }
    }
  }

  #failed(name: string, error: unknown, signal: AbortSignal): void {
    if (signal.aborted) return; // it was told to stop, and what it left undone is found by the next start
    const final = error instanceof AppError && !error.retry;
    if (final) this.#queue.forget(name);
    else this.#queue.retry(name);
    this.#options.onError?.(name, error, final);
  }
}
