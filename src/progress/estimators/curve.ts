import type { Estimator, Evidence } from "../estimator.ts";
import { timeAt } from "../history.ts";

/** The share of a run after which its own speed counts as much as that of the earlier runs. */
const trustShare = 0.03;

/** The curve of earlier runs of the same thing, stretched to the speed of this one. */
export const curve: Estimator = {
  name: "curve",
  work(done, evidence) {
    const { expected, total } = evidence;
    return expected && total > 0 ? expectedMs(evidence) * timeAt(expected.curve, done / total) : 0;
  },
  pace(evidence) {
    const { expected, run, total } = evidence;
    if (!expected || total <= 0) return undefined;
    const share = timeAt(expected.curve, run.done / total);
    const planned = expectedMs(evidence) * share;
    if (planned <= 0 || run.movedMs <= 0) return 1;
    const trust = share / (share + trustShare);
    return Math.exp(trust * Math.log(run.movedMs / planned));
  },
};

/** More data than last time takes longer in proportion. */
function expectedMs({ expected, total }: Evidence): number {
  return expected ? (expected.workMs * total) / expected.units : 0;
}
