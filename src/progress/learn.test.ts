import { expect, test } from "vitest";
import type { Tracked } from "./derive.ts";
import { type History, workShare } from "./history.ts";
import { learn, learnRun } from "./learn.ts";
import { beginRun, continueRun, type Run } from "./run.ts";
import { track } from "./track.ts";

function run(rate: number, length: number, totalAt = (_second: number) => 1e12): Run {
  const at = (s: number) => ({
    unit: "bytes" as const,
    done: Math.min(totalAt(s), Math.floor(s * rate)),
    total: totalAt(s),
  });
  let told = beginRun(at(0), 0, undefined);
  for (let s = 1; s <= length; s++) told = continueRun(told, at(s), s * 1000, true);
  return told;
}

const observation = {
  id: "v",
  ref: { apiVersion: "v1", kind: "Pod", name: "p" },
  kind: "volume",
  title: "v",
};

test("[ET12] only what ended well teaches, and only once it has", () => {
  const begun = track(undefined, { ...observation, state: "running" }, 0);
  const end = (state: "completed" | "failed"): Tracked => track(begun, { ...observation, state }, 5000);
  expect(learn(undefined, begun)).toBeUndefined();
  expect(learn(undefined, end("failed"))).toBeUndefined();
  expect(learn(undefined, end("completed"))?.runs).toMatchObject([{ ms: 5000, unit: "steps", units: 1 }]);
});

test("[ET12] the newest eight runs are kept", () => {
  let history: History | undefined;
  for (let i = 1; i <= 11; i++) history = learnRun(history, run(1e12 / (10 * i), 10 * i));
  expect(history?.runs.map((past) => past.ms)).toEqual(
    [40, 50, 60, 70, 80, 90, 100, 110].map((s) => s * 1000),
  );
});

test("[ET11] a full history is far below its limit", () => {
  let history: History | undefined;
  for (let i = 0; i < 10; i++) history = learnRun(history, run(1e12 / 333, 400));
  expect(history?.runs).toHaveLength(8);
  expect(JSON.stringify(history).length).toBeLessThan(8_192);
});

test("[ET6] the time after the last unit is the tail", () => {
  const [past] = learnRun(undefined, run(1e12 / 100, 130)).runs;
  expect(past).toMatchObject({ ms: 130_000, units: 1e12 });
  expect(past && workShare(past)).toBeCloseTo(100 / 130, 2);
});

test("[ET6] a byte that is held back until the end hides no tail", () => {
  const { progress: _, ...seen } = { ...observation, progress: undefined, state: "running" as const };
  let tracked = track(undefined, seen, 0);
  for (let s = 1; s <= 90; s++) {
    const progress = { unit: "bytes" as const, done: Math.min(999, s * 20), total: 1000 };
    tracked = track(tracked, { ...seen, progress }, s * 1000);
  }
  const progress = { unit: "bytes" as const, done: 1000, total: 1000 };
  const [past] =
    learn(undefined, track(tracked, { ...seen, state: "completed", progress }, 100_000))?.runs ?? [];
  expect(past && workShare(past)).toBeCloseTo(0.5, 1);
});

test("a steady run leaves a straight curve", () => {
  const curve = learnRun(undefined, run(1e12 / 320, 320)).runs[0]?.curve ?? [];
  expect(curve.length).toBeGreaterThan(20);
  for (let i = 0; i < curve.length; i += 2)
    expect(Math.abs((curve[i] ?? 0) - (curve[i + 1] ?? 0))).toBeLessThanOrEqual(2);
});

test("a run that stood still leaves a flat stretch", () => {
  let told = beginRun({ unit: "bytes", done: 0, total: 100 }, 0, undefined);
  for (let s = 1; s <= 100; s++) {
    const done = s <= 20 ? s : s <= 80 ? 20 : 20 + 4 * (s - 80);
    told = continueRun(told, { unit: "bytes", done, total: 100 }, s * 1000, true);
  }
  const [past] = learnRun(undefined, told).runs;
  const at79 = past?.curve.findLastIndex((value, i) => i % 2 === 0 && value <= 800) ?? 0;
  expect(past?.curve[at79 + 1]).toBeLessThanOrEqual(240);
});

test("[ET19] the growth of the total is learned", () => {
  const [past] = learnRun(
    undefined,
    run(1e12 / 50, 100, (s) => (s < 30 ? 1e12 : 1.5e12)),
  ).runs;
  expect(past?.growth).toBeCloseTo(1.5, 2);
});
