import { constants } from "./estimate-constants.ts";
import { doneAt, type PastRun, placeOf } from "./history.ts";
import type { Unit } from "./progress.ts";
import type { Mark, Run } from "./run.ts";

/** Where a run stands: all that a rule may look at. */
export interface Standing {
  readonly unit: Unit;
  readonly ms: number;
  /** `ms` at the last movement. */
  readonly movedMs: number;
  readonly done: number;
  readonly total?: number;
  readonly marks: readonly Mark[];
  /** What is read is sent somewhere: a mover reads ahead of that. */
  readonly sends?: boolean;
}

/** Where a run stands now; a total that grew on its way in earlier runs will do so again. */
export function standingOf(
  run: Run,
  how: { readonly growth?: number; readonly sends?: boolean } = {},
): Standing {
  const { unit, ms, movedMs, done, total, firstTotal = 0, tailFrom } = run;
  const grown = Math.max(total ?? 0, tailFrom === undefined ? firstTotal * (how.growth ?? 1) : 0);
  // The byte that is held back until the end is no work.
  const worked = tailFrom === undefined ? done : Math.max(done, total ?? 0);
  return {
    unit,
    ms,
    movedMs,
    done: worked,
    marks: run.marks,
    ...(how.sends && { sends: true }),
    ...(total !== undefined && { total: Math.max(grown, worked) }),
  };
}

/** Where an earlier run stood after this share of its time. */
export function pastStanding(past: PastRun, time: number): Standing {
  const share = doneAt(past, time);
  const moved = Math.min(time, placeOf(past, share)[0]);
  const marks: Mark[] = [];
  for (let i = 0; i < past.curve.length; i += 2) {
    const [t, u] = [(past.curve[i] ?? 0) / 1000, (past.curve[i + 1] ?? 0) / 1000];
    if (t <= time) marks.push([t * past.ms, u * past.units]);
  }
  return {
    unit: past.unit,
    ms: time * past.ms,
    movedMs: moved * past.ms,
    done: share * past.units,
    total: past.units,
    marks,
  };
}

/** Milliseconds to a foretold end that never come to nothing: past it the work is believed to go on for a little. */
export function untilMs(endMs: number, nowMs: number): number {
  const soft = constants.overrun * endMs;
  const x = (endMs - nowMs) / soft;
  // Softplus: far before the end the plain difference, far after it a share that grows smaller and is never nothing.
  return Math.max(soft * (x > 30 ? x : Math.log1p(Math.exp(x))), 0.3 * soft);
}
