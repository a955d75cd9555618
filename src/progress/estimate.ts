import type { Evidence } from "./estimator.ts";
import type { Eta } from "./eta.ts";
import type { Expected } from "./history.ts";
import { estimators, lossSoFar } from "./judge.ts";
import { range } from "./range.ts";
import { addCheckpoint, quantile, type Run } from "./run.ts";

/** An estimate, and the run with what was told noted in it. */
export interface Estimate {
  readonly eta: Eta;
  readonly run: Run;
}

const maxCheckpoints = 20;
const leastMs = 10_000;
const leastMoves = 4;
/** Rules that were wrong by a factor of e on the mean have nothing honest to say. */
const unevenLoss = 1;
/** How sharply the better rule is preferred: at half the loss it counts 64 times as much. */
const sharpness = 6;
const leastLoss = 0.02;
const leastLeft = 0.05;

/** The remaining time of a run, from itself and from what earlier runs of the same thing let expect. */
export function estimate(run: Run, expected: Expected | undefined): Estimate {
  const total = run.total ?? expected?.units;
  if (total === undefined || total <= 0) return { eta: { unknown: "counting" }, run };
  if (run.done >= total) return tail(run, expected);
  if (run.moves === 0) return { eta: unmovedEta(run, expected, total), run };
  if (!expected && (run.moves < leastMoves || run.ms < leastMs))
    return { eta: { unknown: "too-early" }, run };
  const told = blend({ run, total, ...(expected && { expected }) });
  if (!told) return { eta: { unknown: "too-early" }, run };
  const ms = told.ms + tailMs(expected, run.ms + told.ms);
  const noted = note(run, told.paces, ms);
  if (!expected && told.loss > unevenLoss) return { eta: { unknown: "uneven" }, run: noted };
  return { eta: within(ms, expected, told.loss), run: noted };
}

interface Blend {
  /** Remaining milliseconds of work, the tail left out. */
  readonly ms: number;
  readonly paces: Readonly<Record<string, number>>;
  readonly loss: number;
}

/** What the rules say together, each with the weight it has earned; the mean is taken over logarithms. */
function blend(evidence: Evidence): Blend | undefined {
  const { run, total } = evidence;
  // Between two reports of a mover that talks rarely the work goes on: up to its usual silence is not lost time.
  const quietMs = Math.min(run.ms - run.movedMs, quantile(run.gaps, 0.5));
  const paces: Record<string, number> = {};
  let [weights, logs, losses] = [0, 0, 0];
  for (const rule of estimators) {
    const pace = rule.pace(evidence);
    if (pace === undefined || !(pace > 0) || !Number.isFinite(pace)) continue;
    paces[rule.name] = pace;
    const left = pace * (rule.work(total, evidence) - rule.work(run.done, evidence));
    const loss = lossSoFar(rule, evidence);
    const weight = (loss + leastLoss) ** -sharpness;
    weights += weight;
    logs += weight * Math.log(Math.max(1, left - quietMs));
    losses += weight * loss;
  }
  return weights > 0 ? { ms: Math.exp(logs / weights), paces, loss: losses / weights } : undefined;
}

function within(ms: number, expected: Expected | undefined, loss: number): Eta {
  const { low, high } = range(expected, loss);
  return { seconds: ms / 1000, low: (ms * low) / 1000, high: (ms * high) / 1000 };
}

/** Before the first movement only earlier runs can speak. */
function unmovedEta(run: Run, expected: Expected | undefined, total: number): Eta {
  if (!expected) return { unknown: "too-early" };
  const workMs = (expected.workMs * total) / expected.units;
  const whole = workMs + tailMs(expected, workMs);
  return within(Math.max(leastLeft * whole, whole - run.ms), expected, 0.3);
}

/** All units are done: what is left is what the tails of earlier runs had left. */
function tail(run: Run, expected: Expected | undefined): Estimate {
  const from = run.tailFrom ?? run.ms;
  const whole = tailMs(expected, from);
  if (whole <= 0) return { eta: { unknown: "finishing" }, run };
  const ms = Math.max(leastLeft * whole, whole - (run.ms - from));
  return { eta: within(ms, expected, 0.3), run: note(run, {}, ms) };
}

/** The tail to expect after so much work. */
function tailMs(expected: Expected | undefined, workMs: number): number {
  if (!expected) return 0;
  return expected.tailShare === undefined ? expected.tailMs : expected.tailShare * workMs;
}

/** Notes what was told, in even steps over the run, so that it can be judged later. */
function note(run: Run, paces: Readonly<Record<string, number>>, told: number): Run {
  const last = run.checkpoints.at(-1);
  if (last && run.ms - last.ms < Math.max(1000, run.ms / maxCheckpoints)) return run;
  // Four figures are more than any pace is worth, and keep the evidence small where it is stored.
  const short = Object.fromEntries(
    Object.entries(paces).map(([rule, pace]) => [rule, Number(pace.toPrecision(4))]),
  );
  const checkpoint = { ms: run.ms, done: run.done, paces: short, told: Math.round(told) };
  return addCheckpoint(run, checkpoint, maxCheckpoints);
}
