import type { Expected } from "./history.ts";

/** Factors on the estimate between which the truth lies in four of five cases. */
export interface Range {
  readonly low: number;
  readonly high: number;
}

/** The misses of a run hang together, so a few runs show less than their true spread. */
const widen = 1.5;
const leastSpread = 0.05;

/**
 * The range from the misses of earlier runs where there are enough of them (what was told, against what came true), and
 * otherwise from how wrong the rules have been in this run so far. Work ends late more often than early.
 */
export function range(expected: Expected | undefined, loss: number): Range {
  const spread = expected?.spread;
  if (spread) {
    const low = Math.min(-leastSpread, widen * spread.low);
    const high = Math.max(leastSpread, widen * spread.high);
    return { low: Math.exp(low), high: Math.exp(high) };
  }
  return { low: Math.exp(-(leastSpread + loss)), high: Math.exp(leastSpread + 1.6 * loss) };
}
