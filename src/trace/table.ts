import { sureness } from "../progress/index.ts";
import type { Told } from "./replay.ts";
import type { Scored } from "./score.ts";

/** How right a rule was over many moments. */
export interface Marks {
  /** Mean of |told − true| over the length of the run, each run counting the same. */
  readonly error: number;
  /** Share of moments at which what was told was within a quarter of the truth. */
  readonly within25: number;
  /** Share of moments at which something was told. */
  readonly answered: number;
  /** Share of moments at which the range held the truth. */
  readonly held?: number;
  readonly runs: number;
}

/** A number of seconds that a rule tells, with its range where it has one. */
interface Answer {
  readonly seconds: number;
  readonly low?: number;
  readonly high?: number;
}

/** One rule asked about one run. */
export type Rule = (scored: Scored, i: number) => Answer | undefined;

/** What Headway told. */
export const ours: Rule = ({ told }, i) => {
  const eta = told[i]?.eta;
  return eta && !("unknown" in eta) ? eta : undefined;
};

/** Elapsed time over the share so far. */
export const linear: Rule = ({ trace, told }, i) => {
  const point = newest(trace.points, told[i]);
  if (!point?.done || !point.total) return undefined;
  return { seconds: (point.at * Math.max(0, point.total - point.done)) / point.done };
};

/** What the mover itself says. */
export const own: Rule = ({ trace, told }, i) => {
  const point = newest(trace.points, told[i]);
  return point?.left === undefined ? undefined : { seconds: Math.max(0, point.left - (point.at - point.t)) };
};

/** As long as the median of the earlier runs, minus what has passed. */
export const clock: Rule = ({ earlier, told }, i) => {
  if (earlier.length === 0) return undefined;
  const sorted = earlier.toSorted((a, b) => a - b);
  const half = (sorted.length - 1) / 2;
  const median = ((sorted[Math.floor(half)] ?? 0) + (sorted[Math.ceil(half)] ?? 0)) / 2;
  return { seconds: Math.max(0, median - (told[i]?.t ?? 0)) };
};

/** How often each word of sureness was right. */
export interface WordMarks {
  readonly word: string;
  /** Of all moments at which something was told. */
  readonly share: number;
  readonly within25: number;
}

/** Each word for how sure an estimate is, and how often what was told with it was within a quarter of the truth. */
export function wordsOf(all: readonly Scored[]): readonly WordMarks[] {
  const counts = new Map<string, [moments: number, near: number]>();
  let whole = 0;
  for (const { told, trace } of all) {
    for (const { t, eta } of told) {
      if ("unknown" in eta) continue;
      const count = counts.get(sureness(eta)) ?? [0, 0];
      const left = trace.end - t;
      const isNear = Math.abs(eta.seconds - left) <= 0.25 * left;
      counts.set(sureness(eta), [count[0] + 1, count[1] + (isNear ? 1 : 0)]);
      whole += 1;
    }
  }
  return [...counts].map(([word, [moments, near]]) => ({
    word,
    share: moments / whole,
    within25: near / moments,
  }));
}

function newest(points: Scored["trace"]["points"], told: Told | undefined) {
  const at = told?.t ?? 0;
  const point = points.findLast(({ t, done }) => t <= at && done !== undefined);
  return point && { ...point, at };
}

/** One absurd answer must not decide the mean of a rule: ten times the run is as wrong as it gets. */
const worst = 10;

/** How right a rule was over some runs, from a moment on; `among` leaves out moments at which another rule is silent. */
export function marksOf(
  all: readonly Scored[],
  rule: Rule,
  { fromSeconds = 0, among }: { readonly fromSeconds?: number; readonly among?: Rule } = {},
): Marks | undefined {
  const runs = all.flatMap((scored) => {
    const { end } = scored.trace;
    let [moments, answered, error, near, held, ranges] = [0, 0, 0, 0, 0, 0];
    scored.told.forEach(({ t }, i) => {
      if (t < fromSeconds || (among && !among(scored, i))) return;
      moments += 1;
      const answer = rule(scored, i);
      if (!answer) return;
      const left = end - t;
      answered += 1;
      error += Math.min(worst, Math.abs(answer.seconds - left) / end);
      if (Math.abs(answer.seconds - left) <= 0.25 * left) near += 1;
      if (answer.low === undefined || answer.high === undefined) return;
      ranges += 1;
      if (answer.low <= left && left <= answer.high) held += 1;
    });
    return moments > 0 ? [{ moments, answered, error, near, held, ranges }] : [];
  });
  const told = runs.filter(({ answered }) => answered > 0);
  if (runs.length === 0) return undefined;
  const mean = <T>(list: readonly T[], of: (each: T) => number) =>
    list.length > 0 ? list.reduce((sum, each) => sum + of(each), 0) / list.length : Number.NaN;
  const ranged = told.filter(({ ranges }) => ranges > 0);
  return {
    error: mean(told, (each) => each.error / each.answered),
    within25: mean(told, (each) => each.near / each.answered),
    answered: mean(runs, (each) => each.answered / each.moments),
    ...(ranged.length > 0 && { held: mean(ranged, (each) => each.held / each.ranges) }),
    runs: runs.length,
  };
}
