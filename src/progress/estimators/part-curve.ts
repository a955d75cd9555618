import type { Estimator } from "../estimator.ts";
import { curve } from "./curve.ts";

/** The share of the units after which this run's own speed counts as much as that of the earlier runs. */
const trustShare = 0.02;
/** A part that took twice or half of what was planned is odd, not telling: where the kind of work changes, no two runs agree. */
const oddest = Math.log(2);

/**
 * The curve of earlier runs at a speed to which every part of the data has the same say. By time, the slow parts would drown
 * what the fast ones have shown of today's machine.
 */
export const partCurve: Estimator = {
  name: "part-curve",
  work: curve.work,
  pace(evidence) {
    const { run, total, expected } = evidence;
    if (!expected || total <= 0) return undefined;
    let [shares, logs] = [0, 0];
    for (let i = 1; i < run.marks.length; i++) {
      const [before, after] = [run.marks[i - 1] ?? [0, 0], run.marks[i] ?? [0, 0]];
      const planned = curve.work(after[1], evidence) - curve.work(before[1], evidence);
      const took = after[0] - before[0];
      if (planned <= 0 || took <= 0) continue;
      const share = (after[1] - before[1]) / total;
      shares += share;
      logs += share * Math.min(oddest, Math.max(-oddest, Math.log(took / planned)));
    }
    return Math.exp(logs / (shares + trustShare));
  },
};
