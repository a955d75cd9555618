import { expect, test } from "vitest";
import { curve } from "./estimators/curve.ts";
import { lifetime } from "./estimators/lifetime.ts";
import { recentWindow } from "./estimators/window.ts";
import { estimators, finalLosses, lossSoFar } from "./judge.ts";
import { beginRun, type Checkpoint, type Run } from "./run.ts";

/** 100 s into a run at 10 units a second, with what the rules said at its middle. */
function judged(paces: Checkpoint["paces"]): Run {
  const run = beginRun({ unit: "bytes", done: 1000, total: 2000 }, 100_000, 0);
  return { ...run, checkpoints: [{ ms: 50_000, done: 500, paces, told: 1 }] };
}

test("[ET7] a rule that was right is charged less than one that was wrong", () => {
  const run = judged({ lifetime: 100, window: 300 });
  const evidence = { run, total: 2000 };
  expect(lossSoFar(lifetime, evidence)).toBeLessThan(0.1);
  expect(lossSoFar(recentWindow, evidence)).toBeGreaterThan(0.5);
});

test("[ET7] what earlier runs say of a rule counts from the start", () => {
  const expected = {
    workMs: 1,
    tailMs: 0,
    units: 1,
    curve: [0, 1000],
    losses: { lifetime: 0.4, curve: 0.02 },
  };
  const evidence = { run: judged({}), total: 2000, expected };
  expect(lossSoFar(curve, evidence)).toBeLessThan(lossSoFar(lifetime, evidence));
});

test("finalLosses() measures each rule against the end", () => {
  // The truth from the middle on was 50 s; 200 ms a unit foretold 100 s.
  expect(finalLosses(judged({ lifetime: 100, window: 200 }), undefined)).toEqual({
    lifetime: 0,
    window: 0.5,
  });
});

test("every rule has a name of its own", () => {
  expect(new Set(estimators.map((rule) => rule.name)).size).toBe(estimators.length);
});
