import { expect, test } from "vitest";
import { aggregate, type Part } from "./aggregate.ts";
import type { Unit } from "./progress.ts";

const share = (fraction?: number, weight?: number): Part => ({
  state: "running",
  ...(fraction !== undefined && { fraction }),
  ...(weight !== undefined && { weight }),
});
const counted = (unit: Unit, done: number, total?: number, state: Part["state"] = "running"): Part => ({
  state,
  progress: { unit, done, ...(total !== undefined && { total }), movedAt: 0 },
});
const guessed = (done: number, total: number, state: Part["state"] = "running"): Part => ({
  state,
  progress: { unit: "bytes", done, total, estimated: true, movedAt: 0 },
});
const completed: Part = { state: "completed", fraction: 1 };
const skipped: Part = { state: "skipped" };

test.each([
  ["[AG1] three phases at 100, 30 and 0", [completed, share(0.3), share(0)], 1.3 / 3],
  ["[AG1] unknown counts as 0", [completed, share()], 0.5],
  ["[AG5] a skipped phase is whole", [skipped, share(0)], 0.5],
  ["[AG5] a failed phase keeps its share", [{ state: "failed", fraction: 0.4 }, completed] as Part[], 0.7],
  ["[AG6] a phase of weight 0 takes no part", [share(0.5), share(0, 0)], 0.5],
  ["[AG1] weights are not for the mean", [share(1, 10), share(0, 90)], 0.5],
])("%s", (_rule, parts, want) => {
  expect(aggregate("mean", parts).fraction).toBeCloseTo(want, 12);
});

test.each(["failed", "canceled"] as const)(
  "[AG10] what was skipped in a whole that %s was not done",
  (end) => {
    const nineSkipped = Array.from({ length: 9 }, () => skipped);
    const failed: Part = { state: "failed", fraction: 0.3 };
    expect(aggregate("steps", [failed, ...nineSkipped], end).fraction).toBeCloseTo(0.03, 12);
    expect(aggregate("steps", [failed, ...nineSkipped], "completed").fraction).toBeCloseTo(0.93, 12);
  },
);

test.each([
  [
    "[AG6] what weighs nothing has no bytes, and no total of its own to wait for",
    [counted("bytes", 10, 40), { state: "running", weight: 0 }],
    { done: 10, total: 40 },
  ],
  [
    "[AG2] bytes are added up",
    [counted("bytes", 10, 40), counted("bytes", 20, 60)],
    { done: 30, total: 100 },
  ],
  [
    "[AG2] no known total leaves the sum unknown",
    [counted("bytes", 10), share(), counted("bytes", 0, 0)],
    { done: 10 },
  ],
  [
    "[AG2] volumes that wait for a slot count as the mean of the others",
    [counted("bytes", 20, 60), counted("bytes", 0, 40), share(), { state: "pending" }],
    { done: 20, total: 200, estimated: true },
  ],
  [
    "[AG2] one without a total is no smaller than what it has done",
    [counted("bytes", 90), counted("bytes", 20, 60)],
    { done: 110, total: 150, estimated: true },
  ],
  [
    "[AG11] a sum with a guess in it is a guess",
    [guessed(20, 60), counted("bytes", 0, 40)],
    { done: 20, total: 100, estimated: true },
  ],
  [
    "[AG11] what is over is guessed no more",
    [guessed(60, 60, "completed"), guessed(5, 60, "failed"), counted("bytes", 0, 40)],
    { done: 65, total: 105 },
  ],
  [
    "[AG2] what ended uncounted is what it did",
    [counted("bytes", 10, undefined, "failed")],
    { done: 10, total: 10 },
  ],
  ["[AG5] a skipped volume adds nothing", [skipped, counted("bytes", 1, 2)], { done: 1, total: 2 }],
  [
    "[AG5] a skipped volume shrinks to what it did",
    [counted("bytes", 3, 9, "skipped")],
    { done: 3, total: 3 },
  ],
  [
    "[AG8] sums stand still at 2^53",
    [counted("bytes", 1, Number.MAX_SAFE_INTEGER), counted("bytes", 1, Number.MAX_SAFE_INTEGER)],
    { done: 2, total: Number.MAX_SAFE_INTEGER },
  ],
] as [string, Part[], object][])("%s", (_rule, parts, want) => {
  expect(aggregate("sum", parts).progress).toEqual({ unit: "bytes", ...want });
});

test("[AG3] items are added up, and a child without items is one", () => {
  const whole = aggregate("items", [counted("items", 3, 7), completed, share(0.5)]);
  expect(whole).toEqual({ progress: { unit: "items", done: 4, total: 9 }, fraction: 4 / 9 });
});

test.each([
  ["[AG4] steps weigh what they are expected to take", [share(1, 10), share(0.5, 80), share(0, 10)], 0.5],
  ["[AG4] without history all steps are equal", [share(1), share(0.5), share(0)], 0.5],
  ["[AG4] an unknown step weighs the average", [share(1, 10), share(0, 30), share(0)], 10 / 60],
  ["[AG4] a weight that is not a number is unknown", [share(1, 10), share(0, Number.NaN)], 0.5],
])("%s", (_rule, parts, want) => {
  expect(aggregate("steps", parts).fraction).toBeCloseTo(want, 12);
});

test("[AG9] the tail is a step: all bytes copied is not the whole", () => {
  const copy: Part = { state: "completed", fraction: 1, weight: 300 };
  const tail: Part = { state: "running", weight: 100 };
  expect(aggregate("steps", [copy, tail])).toEqual({
    progress: { unit: "steps", done: 1, total: 2 },
    fraction: 0.75,
  });
});
