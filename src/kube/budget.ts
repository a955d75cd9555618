/** How long after one write of an object the next one may follow, given how long the work has been going on. */
export type IntervalMs = (elapsedMs: number) => number;

/** One second at first, a thirtieth of the work's age later (two seconds after a minute), ten seconds at most. */
export const stretching: IntervalMs = (elapsedMs) => Math.min(10_000, Math.max(1_000, elapsedMs / 30));

/** The same interval for the whole of the work. */
export const steady =
  (everyMs: number): IntervalMs =>
  () =>
    everyMs;

/** How many writes an object may cost: the first, one per interval, one per further phase, one final. */
export function writeBudget(durationMs: number, phaseChanges: number, interval: IntervalMs): number {
  let writes = 1;
  for (let at = interval(0); at < durationMs; at += interval(at)) writes += 1;
  return writes + phaseChanges + 1;
}
