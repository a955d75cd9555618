import { constants } from "./estimate-constants.ts";
import { expect } from "./expect.ts";
import type { History } from "./history.ts";

/** How long a run that has not begun should take, with the range that four of five runs keep to. */
export interface WholeRun {
  readonly seconds: number;
  readonly low: number;
  readonly high: number;
  /** How many earlier runs say so. */
  readonly runs: number;
}

/** What earlier runs let expect of the next one, of this size where it is known; undefined when they teach nothing. */
export function wholeRun(history: History | undefined, units?: number): WholeRun | undefined {
  const expected = expect(history);
  if (!expected) return undefined;
  const { most } = constants.size;
  const ratio = units === undefined || expected.units <= 0 ? 1 : units / expected.units;
  const seconds = (expected.ms / 1000) * Math.min(most, Math.max(1 / most, ratio ** expected.power));
  const { low = 0, high = 0 } = expected.spreads[0] ?? {};
  const by = seconds * (1 + constants.missFloor);
  return {
    seconds,
    low: Math.max(0, seconds + low * by),
    high: seconds + high * by,
    runs: expected.runs.length,
  };
}
