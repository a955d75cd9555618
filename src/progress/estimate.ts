import { constants } from "./estimate-constants.ts";
import { between, ownMs } from "./estimators/own.ts";
import type { Eta } from "./eta.ts";
import { blend, expect, scaleOf, stretchOf } from "./expect.ts";
import type { Expected, History, Spread } from "./history.ts";
import type { KnownEta } from "./led-eta.ts";
import type { Run } from "./run.ts";
import { standingOf } from "./standing.ts";

/** The remaining time of a run, from itself and from what earlier runs of the same thing let expect. */
export function estimate(run: Run, expected: Expected | undefined, sends = false): Eta {
  return expected ? withHistory(run, expected, sends) : firstTime(run, sends);
}

/** How long a run that has not begun should take; undefined when there is nothing to learn from. */
export function foretell(history: History | undefined): KnownEta | undefined {
  const expected = expect(history);
  return expected && within(expected.ms, 0, expected.spreads[0] ?? { low: -0.5, high: 1 });
}

function withHistory(run: Run, expected: Expected, sends: boolean): Eta {
  const told = blend(
    standingOf(run, { growth: expected.growth, sends }),
    expected,
    expected.weights,
    expected.ms,
  );
  const spread = expected.spreads[stretchOf(run.ms, expected.ms)];
  return within(told, run.ms, spread ?? { low: -0.5, high: 1 });
}

/** Without earlier runs: the run's own rates, and the plain guess that it takes as long again. */
function firstTime(run: Run, sends: boolean): Eta {
  const { leastMs, first } = constants;
  const isCounted = run.total !== undefined && run.total > 0;
  if (run.ms < leastMs) return { unknown: isCounted ? "too-early" : "counting" };
  const told = ownMs(standingOf(run, { sends }));
  if (told === undefined) return within(first.again * run.ms, run.ms, pair(first.blind));
  const share = Math.min(1, run.done / (run.total ?? 1));
  const spreads = run.carried ? first.spreads : first.unseen;
  const low = between(
    spreads.map(([each]) => each),
    share,
  );
  const high = between(
    spreads.map(([, each]) => each),
    share,
  );
  return within(told, run.ms, { low, high });
}

function within(toldMs: number, passedMs: number, { low, high }: Spread): KnownEta {
  const scale = scaleOf(toldMs, passedMs);
  const leastMs = Math.min(toldMs, 0.02 * toldMs + 100);
  return {
    seconds: toldMs / 1000,
    low: Math.min(toldMs, Math.max(leastMs, toldMs + low * scale)) / 1000,
    high: (toldMs + Math.max(0.02, high) * scale) / 1000,
  };
}

function pair([low, high]: readonly [number, number]): Spread {
  return { low, high };
}
