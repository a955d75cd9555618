import { expect, test } from "vitest";
import type { Mark } from "../run.ts";
import { between, ownMs } from "./own.ts";

const standing = (marks: readonly Mark[], ms = marks.at(-1)?.[0] ?? 0) => {
  const [movedMs, done] = marks.at(-1) ?? [0, 0];
  return { unit: "bytes" as const, ms, movedMs, done, total: 1000, marks };
};
const steady = Array.from({ length: 51 }, (_, i): Mark => [i * 1000, i * 10]);

test("ownMs() says nothing without a total or a movement", () => {
  const { total: _, ...uncounted } = standing(steady);
  expect(ownMs(uncounted)).toBeUndefined();
  expect(ownMs(standing([[0, 0]], 30_000))).toBeUndefined();
});

test("ownMs() does not count a silence that is longer than usual as work that went on unseen", () => {
  expect(ownMs(standing(steady, 80_000))).toBeGreaterThan((ownMs(standing(steady)) ?? 0) - 10_000);
});

test("ownMs() leaves out the time before the first movement", () => {
  const late = steady.map(([ms, done]): Mark => [ms === 0 ? 0 : ms + 40_000, done]);
  expect(ownMs(standing(late))).toBeLessThan(1.35 * (ownMs(standing(steady)) ?? 0));
});

const carriedTo = (done: number) => ({
  done,
  movedMs: 50_000,
  marks: [
    [0, 0],
    [1_000, 1e6],
    [50_000, done],
  ] as const,
});
const fetched = { ...standing([[0, 0]], 50_000), total: 1e9 };

test("[ET20] ownMs() of a restore goes by what was fetched, before a byte of it is written", () => {
  expect(ownMs(fetched)).toBeUndefined();
  const half = ownMs({ ...fetched, carried: carriedTo(5e8) }) ?? 0;
  expect(half).toBeGreaterThan(25_000);
  expect(half).toBeLessThan(60_000);
  expect(ownMs({ ...fetched, carried: carriedTo(9e8) })).toBeLessThan(half / 2);
});

test("ownMs() of a backup that is read goes by what is sent, where the mover writes everything twice", () => {
  const read = {
    ...standing(
      [
        [0, 0],
        [5_000, 1e9],
      ],
      50_000,
    ),
    done: 1e9,
    total: 1e9,
    sends: true,
  };
  const told = (bytes: number) => ownMs({ ...read, carried: carriedTo(bytes) }) ?? 0;
  expect(told(1.2e9)).toBeGreaterThan(1.5 * told(1.7e9));
  expect(told(0.9e9)).toBe(ownMs(read));
});

test("between() reads a table at any share", () => {
  expect([0, 0.125, 0.5, 1, 7].map((share) => between([0, 1, 2, 3, 4], share))).toEqual([0, 0.5, 2, 4, 4]);
});
