import { expect, test } from "vitest";
import type { History, PastRun } from "./history.ts";
import { wholeRun } from "./whole-run.ts";

const run = (ms: number, units = 100): PastRun => ({ ms, unit: "bytes", units, curve: [0, 0, 1000, 1000] });
const history = (...runs: PastRun[]): History => ({ version: 2, runs });

test("wholeRun() is what earlier runs took, with a range around it that narrows with their number", () => {
  const once = wholeRun(history(run(60_000)));
  const often = wholeRun(history(run(60_000), run(60_000), run(60_000)));
  expect(once).toMatchObject({ seconds: 60, runs: 1 });
  expect(often).toMatchObject({ seconds: 60, runs: 3 });
  for (const one of [once, often]) {
    expect(one?.low).toBeLessThan(60);
    expect(one?.high).toBeGreaterThan(60);
  }
  expect((often?.high ?? 0) - (often?.low ?? 0)).toBeLessThan((once?.high ?? 0) - (once?.low ?? 0));
});

test("wholeRun() grows with the size, and not without limit", () => {
  const known = history(run(60_000));
  const [same, twice, vast] = [100, 200, 1e9].map((units) => wholeRun(known, units)?.seconds ?? 0);
  expect(same).toBe(60);
  expect(twice).toBeGreaterThan(60);
  expect(vast).toBeLessThanOrEqual(150);
});

test("wholeRun() says nothing where nothing was learned", () => {
  expect(wholeRun(undefined)).toBeUndefined();
  expect(wholeRun(history())).toBeUndefined();
});
