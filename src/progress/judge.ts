import type { Estimator, Evidence } from "./estimator.ts";
import { curve } from "./estimators/curve.ts";
import { lifetime } from "./estimators/lifetime.ts";
import { partCurve } from "./estimators/part-curve.ts";
import { regime } from "./estimators/regime.ts";
import { recentWindow } from "./estimators/window.ts";
import type { Expected } from "./history.ts";
import type { Run } from "./run.ts";

/** Every rule that takes part. A new one is one file and one word here. */
export const estimators: readonly Estimator[] = [lifetime, recentWindow, regime, curve, partCurve];

/** What a rule is charged before it has been tried; the lifetime rate is the one to beat. */
const untriedLoss = 0.4;
const lifetimeLoss = 0.15;
const untriedWeight = 1;
/** How much the verdict of earlier runs weighs against the at most two dozen trials of this one. */
const historyWeight = 60;
/** One wild miss must not decide alone. */
const worstLoss = 3;

/**
 * How wrong a rule has been so far, as a mean logarithm of foretold over true time: each checkpoint's pace is asked for
 * the time from there to here, which by now is known. Long spans count more.
 */
export function lossSoFar(rule: Estimator, evidence: Evidence): number {
  const { run, expected } = evidence;
  const earlier = expected?.losses[rule.name];
  let weights = earlier === undefined ? untriedWeight : historyWeight;
  // Losses of earlier runs are shares of the whole time, about half of what a logarithm of the remaining time gives.
  let loss = weights * (earlier === undefined ? untried(rule) : 2 * handicap(rule) * earlier);
  const here = rule.work(run.done, evidence);
  for (const checkpoint of run.checkpoints) {
    const pace = checkpoint.paces[rule.name];
    const took = run.movedMs - checkpoint.ms;
    if (pace === undefined || run.done <= checkpoint.done || took < 0.02 * run.ms) continue;
    const foretold = pace * (here - rule.work(checkpoint.done, evidence));
    if (!(foretold > 0)) continue;
    const weight = took / run.ms;
    loss += weight * Math.min(worstLoss, Math.abs(Math.log(foretold / took)));
    weights += weight;
  }
  return loss / weights;
}

/** For each rule, how far from the truth it was on the mean in a run that is over, as a share of the whole time. */
export function finalLosses(run: Run, expected: Expected | undefined): Record<string, number> {
  const evidence: Evidence = { run, total: run.done, ...(expected && { expected }) };
  const losses: Record<string, number> = {};
  for (const rule of estimators) {
    const end = rule.work(run.done, evidence);
    const errors = run.checkpoints.flatMap((checkpoint) => {
      const pace = checkpoint.paces[rule.name];
      if (pace === undefined || run.movedMs <= 0) return [];
      const foretold = pace * (end - rule.work(checkpoint.done, evidence));
      return [Math.min(worstLoss, Math.abs(foretold - (run.movedMs - checkpoint.ms)) / run.movedMs)];
    });
    if (errors.length > 0) losses[rule.name] = round3(errors.reduce((a, b) => a + b, 0) / errors.length);
  }
  return losses;
}

function untried(rule: Estimator): number {
  return rule === lifetime ? lifetimeLoss : untriedLoss;
}

/** The simplest rule that does as well wins: another one has to be a fifth better than the lifetime rate. */
function handicap(rule: Estimator): number {
  return rule === lifetime ? 1 : 1.2;
}

function round3(value: number): number {
  return Math.round(value * 1000) / 1000;
}
