import type { Estimator } from "../estimator.ts";
import { curve, trustShare } from "./curve.ts";

/** Where the part begins whose speed is looked at, as a share of the time so far. */
const lateFrom = 0.4;

/** The curve of earlier runs at the speed of the later part of this one: its first part may have been another kind of work. */
export const lateCurve: Estimator = {
  name: "late-curve",
  work: curve.work,
  pace(evidence) {
    const { run, total, expected } = evidence;
    const from = run.marks.find(([ms]) => ms >= lateFrom * run.movedMs);
    if (!expected || !from) return undefined;
    const whole = curve.work(total, evidence);
    const planned = curve.work(run.done, evidence) - curve.work(from[1], evidence);
    if (planned <= 0 || run.movedMs <= from[0]) return curve.pace(evidence);
    const share = planned / whole;
    return Math.exp((share / (share + trustShare)) * Math.log((run.movedMs - from[0]) / planned));
  },
};
