import { expect, test } from "vitest";
import { addCheckpoint, beginRun, continueRun, quantile, type Run, span } from "./run.ts";

const sample = (done: number, total = 1e6) => ({ unit: "bytes" as const, done, total });

function steadyRun(seconds: number, perSecond = 10): Run {
  let run = beginRun(sample(0), 0, 0);
  for (let s = 1; s <= seconds; s++) run = continueRun(run, sample(s * perSecond), s * 1000, true);
  return run;
}

test("[ET9] time spent waiting does not count", () => {
  const begun = beginRun(sample(0), 0, undefined);
  const waited = continueRun(begun, sample(0), 600_000, false);
  expect(continueRun(waited, sample(10), 601_000, true)).toMatchObject({
    ms: 1000,
    movedMs: 1000,
    gaps: [1000],
  });
});

test("[ET10] a clock that jumps back costs no time", () => {
  const run = continueRun(beginRun(sample(0), 5000, undefined), sample(10), 1000, true);
  expect(run).toMatchObject({ ms: 0, at: 1000 });
  expect(continueRun(run, sample(20), 3000, true).ms).toBe(2000);
});

test("[ET15] a run met on its way began at its start with nothing", () => {
  const run = beginRun(sample(500), 50_000, 0);
  expect(run).toMatchObject({
    ms: 50_000,
    done: 500,
    marks: [
      [0, 0],
      [50_000, 500],
    ],
  });
});

test("[ET11] the evidence of a long run stays small and keeps both ends", () => {
  const run = steadyRun(20_000);
  expect(run.marks.length).toBeLessThanOrEqual(65);
  expect(run.recent.length).toBeLessThanOrEqual(27);
  expect(run.gaps.length).toBeLessThanOrEqual(24);
  expect(run.marks[0]).toEqual([0, 0]);
  expect(run.marks.at(-1)).toEqual([20_000_000, 200_000]);
  expect(JSON.stringify(run).length).toBeLessThan(16_384);
});

test("the window holds about two minutes", () => {
  const { ms, units } = span(steadyRun(1000).recent);
  expect(ms).toBeGreaterThanOrEqual(114_000);
  expect(ms).toBeLessThanOrEqual(130_000);
  expect(units / ms).toBeCloseTo(0.01, 5);
});

test("addCheckpoint() thins a full list and keeps its ends", () => {
  let run = steadyRun(1);
  for (let ms = 1; ms <= 100; ms++) run = addCheckpoint(run, { ms, done: 1, paces: {}, told: 1 }, 24);
  expect(run.checkpoints.length).toBeLessThanOrEqual(24);
  expect(run.checkpoints[0]?.ms).toBe(1);
  expect(run.checkpoints.at(-1)?.ms).toBe(100);
});

test("quantile() lies between its neighbours and is 0 of nothing", () => {
  expect([quantile([], 0.5), quantile([4], 0.9), quantile([3, 1, 2], 0.5), quantile([0, 10], 0.25)]).toEqual([
    0, 4, 2, 2.5,
  ]);
});
