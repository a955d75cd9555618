/** How waiting times grow from one failure to the next. */
export interface Backoff {
  readonly firstMs: number;
  readonly maxMs: number;
}

/** The wait before try `attempt` + 1 (attempts count from 0): doubles, capped, with the upper half random. */
export function backoffMs(backoff: Backoff, attempt: number, random: number): number {
  const full = Math.min(backoff.maxMs, backoff.firstMs * 2 ** Math.min(attempt, 30));
  return full / 2 + (full / 2) * random;
}
