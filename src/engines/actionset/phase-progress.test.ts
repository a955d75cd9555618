import fc from "fast-check";
import { expect, test } from "vitest";
import { PhaseProgress } from "./phase-progress.ts";

test("PhaseProgress goes through the design's three steps", () => {
  const progress = new PhaseProgress(() => undefined);
  expect(progress.stats().percent).toBeUndefined();
  progress.prepared();
  expect(progress.stats().percent).toBe(33.33);
  progress.executing(0.5);
  expect(progress.stats().percent).toBe(49.99);
  progress.executed();
  expect(progress.stats()).toMatchObject({ percent: 66.66, step: "cleaning up" });
});

test("PhaseProgress never falls, never shows 100, and keeps the percent while a mover estimates", () => {
  const progress = new PhaseProgress(() => undefined);
  progress.update({ percent: 30.1, uploadedBytes: 244, etaSeconds: 30 });
  progress.update({ percent: 12, uploadedBytes: 300, etaSeconds: undefined });
  expect(progress.stats()).toEqual({ percent: 30.1, uploadedBytes: 300, etaSeconds: undefined });
  progress.update({ percent: 300 });
  expect(progress.stats().percent).toBe(99.99);
});

test("PhaseProgress tells of changes only", () => {
  let told = 0;
  const progress = new PhaseProgress(() => (told += 1));
  progress.update({ percent: 10 });
  progress.update({ percent: 10 });
  progress.update({ percent: 5 });
  expect(told).toBe(1);
});

test("two executions of one function do not touch each other's numbers", () => {
  const [a, b] = [new PhaseProgress(() => undefined), new PhaseProgress(() => undefined)];
  a.update({ percent: 80, uploadedBytes: 8 });
  b.update({ percent: 10, uploadedBytes: 1 });
  expect(a.stats()).toMatchObject({ percent: 80, uploadedBytes: 8 });
  expect(b.stats()).toMatchObject({ percent: 10, uploadedBytes: 1 });
});

test("whatever a function says, the percent rises and stays below 100", () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.double(), fc.constant(undefined))), (said) => {
      const progress = new PhaseProgress(() => undefined);
      let before = 0;
      for (const percent of said) {
        progress.update({ percent });
        const now = progress.stats().percent ?? 0;
        expect(now).toBeGreaterThanOrEqual(before);
        expect(now).toBeLessThan(100);
        before = now;
      }
    }),
  );
});
