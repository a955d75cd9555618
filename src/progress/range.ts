import type { Expected } from "./history.ts";
import { quantile } from "./run.ts";

/** Factors on the estimate between which the truth lies in four of five cases. */
export interface Range {
  readonly low: number;
  readonly high: number;
}

/** From how many told estimates of earlier runs on their misses speak for themselves. */
const enoughMisses = 6;
/** The misses of a run hang together, so a few runs show less than their true spread. */
const widen = 1.25;
const leastSpread = 0.05;

/**
 * The range from the misses of earlier runs where there are enough of them (what was told, against what came true), and
 * otherwise from how wrong the rules have been in this run so far. Work ends late more often than early.
 */
export function range(expected: Expected | undefined, loss: number): Range {
  const misses = expected?.misses ?? [];
  if (misses.length >= enoughMisses) {
    const low = Math.min(-leastSpread, widen * quantile(misses, 0.1));
    const high = Math.max(leastSpread, widen * quantile(misses, 0.9));
    return { low: Math.exp(low), high: Math.exp(high) };
  }
  return { low: Math.exp(-(leastSpread + loss)), high: Math.exp(leastSpread + 1.6 * loss) };
}
