import { constants } from "../estimate-constants.ts";
import { type Expected, type PastRun, placeOf } from "../history.ts";
import { quantile } from "../run.ts";
import { type Standing, untilMs } from "../standing.ts";

/** What earlier runs are asked for. */
export type Past = Pick<Expected, "runs" | "power">;

/** Remaining milliseconds by each rule that goes by earlier runs. */
export interface PastRules {
  /** As long as those took. */
  readonly clock: number;
  /** As long as those still took from where this one stands. */
  readonly place: number;
  /** The same, at some of this run's own speed. */
  readonly paced: number;
}

/** Asks the earlier runs; each says as much. */
export function pastRules(at: Standing, past: Past): PastRules {
  const ends: number[] = [];
  let [places, paces] = [0, 0];
  for (const run of past.runs) {
    const wholeMs = run.ms * sizeFactor(at, run, past.power);
    const { leftMs, ratio } = placeIn(run, wholeMs, at);
    ends.push(wholeMs);
    places += Math.log(leftMs);
    paces += Math.log(leftMs * ratio ** constants.pace.power);
  }
  return {
    clock: untilMs(quantile(ends, 0.5), at.ms),
    place: Math.exp(places / past.runs.length),
    paced: Math.exp(paces / past.runs.length),
  };
}

/** More data than then takes longer, within limits: how much longer earlier runs tell. */
function sizeFactor(at: Standing, run: PastRun, power: number): number {
  if (at.total === undefined || at.unit !== run.unit) return 1;
  const { most } = constants.size;
  return Math.min(most, Math.max(1 / most, (at.total / run.units) ** power));
}

function placeIn(run: PastRun, wholeMs: number, at: Standing): { leftMs: number; ratio: number } {
  const [from, to] = placeOf(run, at.done > 0 ? shareIn(run, at) : 0);
  const fromMs = from * wholeMs;
  // While nothing is heard the work goes on: as far as it does between two words, and as the earlier run stood still here.
  const silentMs = Math.min(at.ms - at.movedMs, constants.unheard * wholeMs);
  const placeMs = Math.min(Math.max(at.ms, fromMs + silentMs), Math.max(to * wholeMs, fromMs + silentMs));
  const { most } = constants.pace;
  const ratio = from > 0.01 ? Math.min(most, Math.max(1 / most, at.movedMs / fromMs)) : 1;
  return { leftMs: untilMs(wholeMs, placeMs), ratio };
}

function shareIn(run: PastRun, { done, total, unit }: Standing): number {
  if (total !== undefined && total > 0) return done / total;
  return unit === run.unit ? Math.min(0.999, done / run.units) : 0;
}
