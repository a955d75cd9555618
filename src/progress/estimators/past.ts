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
  readonly place: number | undefined;
  /** The same, at some of this run's own speed. */
  readonly paced: number | undefined;
  /** As `place` and `paced`, by earlier runs that are known by what their process moved, as this one is. */
  readonly carried: number | undefined;
  readonly carriedPaced: number | undefined;
}

/** Asks the earlier runs; each says as much. */
export function pastRules(at: Standing, past: Past): PastRules {
  const ends: number[] = [];
  const [places, flows] = [new Asked(), new Asked()];
  for (const run of past.runs) {
    const wholeMs = run.ms * sizeFactor(at, run, past.power);
    ends.push(wholeMs);
    const share = carriedShare(run, at);
    if (run.carried && at.carried && share !== undefined)
      flows.add(run.carried.curve, share, wholeMs, at.ms, at.carried.movedMs);
    else places.add(run.curve, at.done > 0 ? shareIn(run, at) : 0, wholeMs, at.ms, at.movedMs);
  }
  return {
    clock: untilMs(quantile(ends, 0.5), at.ms),
    place: places.mean,
    paced: places.paced,
    carried: flows.mean,
    carriedPaced: flows.paced,
  };
}

/** More data than then takes longer, within limits: how much longer earlier runs tell. */
function sizeFactor(at: Standing, run: PastRun, power: number): number {
  return within(constants.size.most, sizeRatio(at, run) ** power);
}

function sizeRatio(at: Standing, run: PastRun): number {
  return at.total === undefined || at.unit !== run.unit ? 1 : at.total / run.units;
}

function within(most: number, value: number): number {
  return Math.min(most, Math.max(1 / most, value));
}

/** What the earlier runs say of one measure. */
class Asked {
  #places = 0;
  #paces = 0;
  #count = 0;

  get mean(): number | undefined {
    return this.#count > 0 ? Math.exp(this.#places / this.#count) : undefined;
  }

  get paced(): number | undefined {
    return this.#count > 0 ? Math.exp(this.#paces / this.#count) : undefined;
  }

  add(curve: readonly number[], share: number, wholeMs: number, ms: number, movedMs: number): void {
    const [from, to] = placeOf({ curve }, share);
    const fromMs = from * wholeMs;
    // While nothing is heard the work goes on: as far as it does between two words, and as the earlier run stood still here.
    const silentMs = Math.min(ms - movedMs, constants.unheard * wholeMs);
    const placeMs = Math.min(Math.max(ms, fromMs + silentMs), Math.max(to * wholeMs, fromMs + silentMs));
    const leftMs = untilMs(wholeMs, placeMs);
    const ratio = from > 0.01 ? within(constants.pace.most, movedMs / fromMs) : 1;
    this.#places += Math.log(leftMs);
    this.#paces += Math.log(leftMs * ratio ** constants.pace.power);
    this.#count += 1;
  }
}

function shareIn(run: PastRun, { done, total, unit }: Standing): number {
  if (total !== undefined && total > 0) return done / total;
  return unit === run.unit ? Math.min(0.999, done / run.units) : 0;
}

/** More data is more to move; how much of it is new cannot be known. */
function carriedShare(run: PastRun, at: Standing): number | undefined {
  if (!run.carried || !at.carried || run.carried.bytes <= 0) return undefined;
  return at.carried.done / (run.carried.bytes * within(constants.size.most, sizeRatio(at, run)));
}
