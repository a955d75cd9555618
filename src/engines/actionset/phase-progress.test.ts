import { expect, test } from "vitest";
import { ofPercent, PhaseProgress } from "./phase-progress.ts";

const hundredths = (done: number) => ({ unit: "steps", done, total: 10_000 });
const bytes = (done: number, total: number) => ({ unit: "bytes", done, total }) as const;

test("PhaseProgress goes through its three steps", () => {
  const progress = new PhaseProgress(() => undefined);
  expect(progress.work.progress).toBeUndefined();
  progress.prepared();
  expect(progress.work.progress).toEqual(hundredths(3_333));
  progress.executing(0.5);
  expect(progress.work.progress).toEqual(hundredths(4_999));
  progress.executed();
  expect(progress.work).toMatchObject({ progress: hundredths(6_666), step: "cleaning up" });
});

test.each([
  ["half of its bytes", { progress: bytes(5, 10), uploadedBytes: 3 }, 4_999],
  ["80 percent", { progress: ofPercent(80) }, 5_999],
  ["more than there is", { progress: bytes(30, 10) }, 6_666],
])("a command that says %s has that share of the middle third", (_what, news, want) => {
  const progress = new PhaseProgress(() => undefined);
  progress.said(news);
  expect(progress.work).toEqual({ ...news, progress: hundredths(want) });
});

test("a command that still counts moves nothing", () => {
  const progress = new PhaseProgress(() => undefined);
  progress.prepared();
  progress.said({ progress: { unit: "bytes", done: 5 }, uploadedBytes: 5 });
  expect(progress.work).toMatchObject({ progress: hundredths(3_333), uploadedBytes: 5 });
});

test.each([
  [30.1, 3_010],
  [8.2, 820],
  [(2 / 3) * 100, 6_666],
  [99.999, 9_999],
  [300, 9_999],
  [-1, 0],
])("ofPercent(%d) is cut off at %d hundredths", (percent, want) => {
  expect(ofPercent(percent)).toEqual(hundredths(want));
});

test("PhaseProgress tells of changes only", () => {
  let told = 0;
  const progress = new PhaseProgress(() => (told += 1));
  progress.update({ progress: bytes(1, 10), step: "x" });
  progress.update({ progress: bytes(1, 10) });
  progress.part("a", "running");
  progress.part("a", "running", {});
  expect(told).toBe(2);
  progress.part("a", "completed");
  expect(told).toBe(3);
});

test("two executions of one function, and two parts of one, do not touch each other's numbers", () => {
  const [a, b] = [new PhaseProgress(() => undefined), new PhaseProgress(() => undefined)];
  a.update({ progress: bytes(8, 10), uploadedBytes: 8 });
  b.update({ progress: bytes(1, 10), uploadedBytes: 1 });
  expect(a.work).toEqual({ progress: bytes(8, 10), uploadedBytes: 8 });
  expect(b.work).toEqual({ progress: bytes(1, 10), uploadedBytes: 1 });
  a.part("x", "running", { uploadedBytes: 1 });
  a.part("y", "running", { uploadedBytes: 2 });
  expect(a.parts.map(({ work }) => work.uploadedBytes)).toEqual([1, 2]);
});
