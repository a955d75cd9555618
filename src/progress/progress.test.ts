import { expect, test } from "vitest";
import { advance, fraction, growingTotal, type Sample } from "./progress.ts";

const bytes = (done: number, total?: number): Sample => ({
  unit: "bytes",
  done,
  ...(total !== undefined && { total }),
});

test.each([
  ["[PR1] an unknown total leaves the share unknown", bytes(5), undefined],
  ["[PR2] a zero total is no measure", bytes(0, 0), undefined],
  ["[PR3] done past total reads as the whole", bytes(101, 100), 1],
  ["[PR6] a total that is not a number is unknown", bytes(5, Number.NaN), undefined],
  ["[PR6] an infinite total is unknown", bytes(5, Infinity), undefined],
  ["[PR6] a negative total is unknown", bytes(5, -1), undefined],
  ["[PR6] a wrapped 64-bit total is unknown", bytes(5, 2 ** 64), undefined],
  ["[PR6] a negative done is nothing", bytes(-5, 10), 0],
  ["[PR1] a known total gives the share", bytes(25, 100), 0.25],
])("%s", (_rule, sample, want) => {
  expect(fraction(sample)).toBe(want);
});

test.each([
  ["[PR3] folding raises the total to done", bytes(101, 100), { done: 101, total: 101, movedAt: 9 }],
  ["[PR4] a backward value leaves done where it was", bytes(5, 100), { done: 50, total: 100, movedAt: 1 }],
  ["[PR5] a repeated value is not movement", bytes(50, 100), { done: 50, total: 100, movedAt: 1 }],
  ["[PR5] a larger value is movement", bytes(51, 100), { done: 51, total: 100, movedAt: 9 }],
  ["[PR6] NaN says nothing", bytes(Number.NaN, 100), { done: 50, total: 100, movedAt: 1 }],
  ["[PR6] infinity says nothing", bytes(Infinity, 100), { done: 50, total: 100, movedAt: 1 }],
  ["[PR6] a wrapped value says nothing", bytes(2 ** 64 - 4096, 100), { done: 50, total: 100, movedAt: 1 }],
  ["[PR7] a total once known stays known", bytes(60), { done: 60, total: 100, movedAt: 9 }],
  ["[PR7] a total may grow", bytes(60, 200), { done: 60, total: 200, movedAt: 9 }],
  ["[PR7] a total may shrink, not below done", bytes(50, 20), { done: 50, total: 50, movedAt: 1 }],
])("%s", (_rule, next, want) => {
  const prev = { unit: "bytes", done: 50, total: 100, movedAt: 1 } as const;
  expect(advance(prev, next, 9)).toEqual({ unit: "bytes", ...want });
});

test("[PR8] a clock that runs backwards takes movedAt with it", () => {
  const prev = advance(undefined, bytes(5, 10), 9_000);
  expect(advance(prev, bytes(5, 10), 1_000).movedAt).toBe(1_000);
});

test("[PR9] another unit starts afresh", () => {
  const prev = advance(undefined, { unit: "items", done: 5, total: 10 }, 1);
  expect(advance(prev, bytes(0), 2)).toEqual({ unit: "bytes", done: 0, movedAt: 2 });
});

test("[PR10] a restore that meets extra items grows its total", () => {
  expect(growingTotal(0, 10, 0)).toBe(10);
  // Four of ten visited, but six restored: two were brought along by plugins.
  expect(growingTotal(6, 10, 4)).toBe(12);
  expect(growingTotal(12, 10, 10)).toBe(12);
});

test("[PR11] a guess gives way to a measure and never takes its place", () => {
  const guess = { unit: "bytes", done: 10, total: 500, estimated: true } as const;
  const first = advance(undefined, guess, 1);
  expect(first).toEqual({ ...guess, movedAt: 1 });
  const measured = advance(first, { unit: "bytes", done: 20, total: 300 }, 2);
  expect(measured).toEqual({ unit: "bytes", done: 20, total: 300, movedAt: 2 });
  expect(advance(measured, { ...guess, done: 30 }, 3)).toEqual({ ...measured, done: 30, movedAt: 3 });
  expect(advance(first, { unit: "bytes", done: 20 }, 2), "silence leaves the guess a guess").toMatchObject({
    total: 500,
    estimated: true,
  });
});
