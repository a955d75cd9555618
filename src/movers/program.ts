import type { AppError } from "../errors.ts";
import type { Repository } from "./mover.ts";
import { type Ended, type Run, run } from "./spawn.ts";

/** What the parts of a mover need of its program. */
export interface Program {
  /** Prepares a run. */
  readonly prepared: (repository: Repository, args: readonly string[], signal?: AbortSignal) => Promise<Run>;
  readonly ended: (run: Run, signal?: AbortSignal) => Promise<Ended>;
  /** Runs it and returns what it printed. */
  readonly ask: (
    repository: Repository,
    verb: string,
    args: readonly string[],
    signal?: AbortSignal,
  ) => Promise<string>;
  readonly failed: (repository: Repository, verb: string, end: Ended) => AppError;
}

/** What a program that is stopped may take to end: it only reads, and leaves nothing behind. */
const graceMs = 1_000;

/** Runs a program until `take` has enough of its output; undefined when it was stopped. */
export async function runUntil(
  what: Run,
  take: (chunk: Uint8Array) => boolean,
  signal?: AbortSignal,
): Promise<Ended | undefined> {
  const stop = new AbortController();
  const enough = new Error("enough was read");
  const onData = (chunk: Uint8Array): Promise<void> => {
    if (!stop.signal.aborted && take(chunk)) stop.abort(enough);
    return Promise.resolve();
  };
  try {
    const either = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal;
    return await run({ ...what, graceMs, onData }, either);
  } catch (error) {
    if (error === enough) return undefined;
    throw error;
  }
}
