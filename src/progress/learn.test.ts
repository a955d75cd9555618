import { expect, test } from "vitest";
import type { Tracked } from "./derive.ts";
import { estimate } from "./estimate.ts";
import { expect as expectRun, type History } from "./history.ts";
import { learn, learnRun } from "./learn.ts";
import { beginRun, continueRun, type Run } from "./run.ts";
import { track } from "./track.ts";

function run(rate: number, length: number, history?: History): Run {
  const at = (s: number) => ({
    unit: "bytes" as const,
    done: Math.min(1e12, Math.floor(s * rate)),
    total: 1e12,
  });
  const expected = expectRun(history);
  let told = estimate(beginRun(at(0), 0, 0), expected);
  for (let s = 1; s <= length; s++) told = estimate(continueRun(told.run, at(s), s * 1000, true), expected);
  return told.run;
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
  expect(learn(undefined, end("completed"))?.runs).toMatchObject([{ workMs: 5000, tailMs: 0, units: 1 }]);
});

test("[ET12] the newest eight runs are kept", () => {
  let history: History | undefined;
  for (let i = 1; i <= 11; i++) history = learnRun(history, run(1e12 / (10 * i), 10 * i));
  expect(history?.runs.map((past) => past.workMs)).toEqual(
    [40, 50, 60, 70, 80, 90, 100, 110].map((s) => s * 1000),
  );
});

test("[ET11] a full history is far below its limit", () => {
  let history: History | undefined;
  for (let i = 0; i < 10; i++) history = learnRun(history, run(1e12 / 333, 400, history));
  expect(history?.runs[7]?.misses.length).toBeGreaterThan(5);
  expect(JSON.stringify(history).length).toBeLessThan(16_384);
});

test("[ET6] the time after the last unit is the tail", () => {
  expect(learnRun(undefined, run(1e12 / 100, 130)).runs[0]).toMatchObject({
    workMs: 100_000,
    tailMs: 30_000,
    units: 1e12,
  });
});

test("a steady run leaves a straight curve", () => {
  const curve = learnRun(undefined, run(1e12 / 320, 320)).runs[0]?.curve ?? [];
  expect(curve).toHaveLength(33);
  curve.forEach((share, k) => {
    expect(Math.abs(share - (1000 * k) / 32)).toBeLessThanOrEqual(2);
  });
});
