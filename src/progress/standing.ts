import { constants } from "./estimate-constants.ts";
import { doneAt, type PastRun, placeOf } from "./history.ts";
import type { Unit } from "./progress.ts";
import type { Carried, Mark, Run } from "./run.ts";

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
  /** What the worker's process has moved, where that is seen. */
  readonly carried?: Carried;
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
    ...(run.carried && { carried: run.carried }),
    ...(total !== undefined && { total: Math.max(grown, worked) }),
  };
}

/** Where an earlier run stood after this share of its time. */
export function pastStanding(past: PastRun, time: number): Standing {
  const { unit, units, ms, carried } = past;
  return {
    unit,
    ms: time * ms,
    total: units,
    ...wayTo(past.curve, time, ms, units),
    ...(carried && { carried: wayTo(carried.curve, time, ms, carried.bytes) }),
  };
}

function wayTo(curve: readonly number[], time: number, ms: number, units: number): Carried {
  const share = doneAt({ curve }, time);
  const marks: Mark[] = [];
  for (let i = 0; i < curve.length; i += 2) {
    const [t, u] = [(curve[i] ?? 0) / 1000, (curve[i + 1] ?? 0) / 1000];
    if (t <= time) marks.push([t * ms, u * units]);
  }
  return { done: share * units, movedMs: Math.min(time, placeOf({ curve }, share)[0]) * ms, marks };
}

/** Milliseconds to a foretold end that never come to nothing: past it the work is believed to go on for a little. */
export function untilMs(endMs: number, nowMs: number): number {
  const soft = constants.overrun * endMs;
  const x = (endMs - nowMs) / soft;
  // Softplus: far before the end the plain difference, far after it a share that grows smaller and is never nothing.
  return Math.max(soft * (x > 30 ? x : Math.log1p(Math.exp(x))), 0.3 * soft);
}
