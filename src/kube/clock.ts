/** Time as this room sees it; tests bring their own. */
export interface Clock {
  /** Epoch milliseconds: what is written down, and what is compared with what was written down. It may jump. */
  now(): number;
  /** Milliseconds since some moment, which nobody can set: for periods and limits inside one process. */
  monotonic(): number;
  /** Calls once after the delay, however long; at once when it is not above zero. The returned function cancels. */
  after(delayMs: number, call: () => void): () => void;
}

/** The longest delay that a timer of Node takes; what is longer would fire at once. */
const longestTimerMs = 2 ** 31 - 1;

/** The machine's clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(delayMs, call) {
    let left = delayMs > 0 ? delayMs : 0; // "not a number" is no delay either
    let timer: ReturnType<typeof setTimeout>;
    const next = () => {
      const part = Math.min(left, longestTimerMs);
      left -= part;
      timer = setTimeout(left > 0 ? next : call, part);
    };
    next();
    return () => clearTimeout(timer);
  },
};

/** Resolves after the delay; rejects with the signal's reason when that comes first. */
export function sleep(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const cancel = clock.after(delayMs, () => {
      signal?.removeEventListener("abort", stop);
      resolve();
    });
    const stop = () => {
      cancel();
      reject(signal?.reason);
    };
    signal?.addEventListener("abort", stop, { once: true });
  });
}
