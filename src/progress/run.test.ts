import { expect, test } from "vitest";
import { beginRun, continueRun, isAll, noteTold, quantile, type Run } from "./run.ts";

const sample = (done: number, total = 1e6) => ({ unit: "bytes" as const, done, total });

function steadyRun(seconds: number, perSecond = 10): Run {
  let run = beginRun(sample(0), 0, undefined);
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
  const run = beginRun(sample(500), 50_000, 1);
  expect(run).toMatchObject({
    ms: 49_999,
    done: 500,
    marks: [
      [0, 0],
      [49_999, 500],
    ],
  });
});

test("[ET11] the evidence of a long run stays small and keeps both ends", () => {
  const run = steadyRun(20_000);
  expect(run.marks.length).toBeLessThanOrEqual(65);
  expect(run.gaps.length).toBeLessThanOrEqual(24);
  expect(run.marks[0]).toEqual([0, 0]);
  expect(run.marks.at(-1)).toEqual([20_000_000, 200_000]);
  expect(JSON.stringify(run).length).toBeLessThan(16_384);
});

test("a silence leaves a mark at its end, so that no work is drawn over it", () => {
  let run = steadyRun(10);
  for (const s of [20, 30]) run = continueRun(run, sample(100), s * 1000, true);
  run = continueRun(run, sample(200), 31_000, true);
  expect(run.marks.slice(-3)).toEqual([
    [10_000, 100],
    [30_000, 100],
    [31_000, 200],
  ]);
});

test("a start that is a whole second was on the mean half a second later", () => {
  expect(beginRun(sample(0), 5_000, 2_000).ms).toBe(2_500);
  expect(beginRun(sample(0), 5_000, 2_001).ms).toBe(2_999);
});

test("isAll() takes the byte that is held back for done, in bytes only", () => {
  expect(isAll({ unit: "bytes", done: 99, total: 100 })).toBe(true);
  expect(isAll({ unit: "bytes", done: 98, total: 100 })).toBe(false);
  expect(isAll({ unit: "items", done: 99, total: 100 })).toBe(false);
  expect(isAll({ unit: "bytes", done: 0, total: 1 })).toBe(false);
  expect(isAll({ unit: "bytes", done: 0, total: 0 })).toBe(false);
  expect(isAll({ unit: "bytes", done: 5 })).toBe(false);
});

test("noteTold() thins a full list and keeps its ends", () => {
  let run = steadyRun(1);
  for (let s = 2; s <= 300; s++) {
    run = noteTold(run, 1000 * (300 - s));
    run = continueRun(run, sample(s * 10), s * 1000, true);
  }
  expect(run.told?.length).toBeLessThanOrEqual(21);
  expect(run.told?.[0]).toEqual([1000, 298_000]);
  expect(run.told?.at(-1)?.[0]).toBeGreaterThan(280_000);
});

test("quantile() lies between its neighbours and is 0 of nothing", () => {
  expect([quantile([], 0.5), quantile([4], 0.9), quantile([3, 1, 2], 0.5), quantile([0, 10], 0.25)]).toEqual([
    0, 4, 2, 2.5,
  ]);
});
