import { expect, test } from "vitest";
import type { MigCondition, MigMigration, MigPlan } from "../../api/index.ts";
import { isSuspended, turnOf } from "./order.ts";

const at = "2026-11-15T10:00:00Z";
const condition = (type: string, category = "Advisory", message = ""): MigCondition => ({
  type,
  status: "True",
  category,
  message,
  lastTransitionTime: at,
});
const plan = (...conditions: readonly MigCondition[]): MigPlan => ({
  apiVersion: "migration.openshift.io/v1alpha1",
  kind: "MigPlan",
  metadata: { name: "p", namespace: "om", uid: "p" },
  spec: {},
  status: { conditions },
});
const ready = plan(condition("Ready", "Required"));
const run = (name: string, age: number, spec: object = {}, status?: object): MigMigration => ({
  apiVersion: "migration.openshift.io/v1alpha1",
  kind: "MigMigration",
  metadata: {
    name,
    namespace: "om",
    uid: name,
    creationTimestamp: `2026-11-15T10:00:${String(age).padStart(2, "0")}Z`,
  },
  spec: { migPlanRef: { name: "p" }, stage: false, ...spec },
  ...(status && { status }),
});
const over = (...types: readonly string[]) => ({
  phase: "Completed",
  startTimestamp: at,
  conditions: types.map((one) => condition(one)),
});
const verdicts = (of: MigMigration, on: MigPlan | undefined, siblings: readonly MigMigration[]) =>
  turnOf(of, on, siblings).blockers.map(({ type, reason }) => [type, reason].filter(Boolean).join(" "));

const final = run("final", 5);
const stage = run("stage", 9, { stage: true });

test.each([
  ["a plan that is not named", { ...final, spec: { stage: false } }, ready, [], ["InvalidPlanRef NotSet"]],
  ["a plan that is not there", final, undefined, [], ["InvalidPlanRef NotFound"]],
  ["a plan that is not ready", final, plan(), [], ["PlanNotReady"]],
  ["a closed plan", final, { ...ready, spec: { closed: true } }, [], ["PlanClosed"]],
  ["nothing in the way", final, ready, [final], []],
  [
    "a second final after one that succeeded",
    final,
    ready,
    [final, run("old", 1, {}, over("Succeeded"))],
    ["HasFinalMigration"],
  ],
  ["a second final after one that failed", final, ready, [final, run("old", 1, {}, over("Failed"))], []],
  [
    "a stage after a final that failed",
    stage,
    ready,
    [stage, run("old", 1, {}, over("Failed"))],
    ["HasFinalMigration"],
  ],
  [
    "a stage while a final runs",
    stage,
    ready,
    [stage, run("old", 1, {}, { startTimestamp: at, conditions: [condition("Running")] })],
    ["HasFinalMigration"],
  ],
  ["a stage after a final that was canceled", stage, ready, [stage, run("old", 1, {}, over("Canceled"))], []],
  ["a final before which a stage waits", final, ready, [final, stage], ["Postponed"]],
  ["that stage", stage, ready, [final, stage], []],
  [
    "a roll-back after a final that succeeded",
    run("back", 9, { rollback: true }),
    ready,
    [run("back", 9, { rollback: true }), run("old", 1, {}, over("Succeeded"))],
    [],
  ],
  [
    "a final after one that was rolled back",
    run("new", 9),
    ready,
    [
      run("new", 9),
      run("old", 1, {}, over("Succeeded")),
      run("back", 5, { rollback: true }, over("Succeeded")),
    ],
    [],
  ],
  [
    "a final after a roll-back that is older than the one that succeeded",
    run("new", 9),
    ready,
    [
      run("new", 9),
      run("old", 6, {}, over("Succeeded")),
      run("back", 5, { rollback: true }, over("Succeeded")),
    ],
    ["HasFinalMigration"],
  ],
  [
    "a stage run that is a roll-back",
    run("x", 1, { stage: true, rollback: true }),
    ready,
    [],
    ["InvalidSpec NotSupported"],
  ],
  [
    "a wish that is not supported",
    run("x", 1, { migrateState: true }),
    ready,
    [],
    ["InvalidSpec NotSupported"],
  ],
  [
    "a run that has begun, though another succeeded",
    run("x", 1, {}, { startTimestamp: at }),
    ready,
    [run("y", 2, {}, over("Succeeded"))],
    [],
  ],
] as const)("turnOf() with %s", (_what, of, on, siblings, want) => {
  expect(verdicts(of, on, siblings)).toEqual(want);
});

test("turnOf() postpones by ten seconds a place, and tells why a plan is not ready", () => {
  const queue = [run("a", 1), run("b", 2), run("c", 3)];
  expect(queue.map((one) => turnOf(one, ready, queue).againAfterMs)).toEqual([undefined, 10_000, 20_000]);
  const sick = plan(condition("SourceClusterNotReady", "Critical", "it does not answer"));
  expect(turnOf(final, sick, []).blockers[0]?.message).toContain(
    "SourceClusterNotReady (it does not answer)",
  );
});

test("isSuspended(): while a migration runs and after a final one succeeded", () => {
  expect(isSuspended([final])).toBe(false);
  expect(isSuspended([run("x", 1, {}, { startTimestamp: at, phase: "Prepare" })])).toBe(true);
  expect(isSuspended([run("x", 1, {}, over("Succeeded"))])).toBe(true);
  expect(isSuspended([run("x", 1, { stage: true }, over("Succeeded"))])).toBe(false);
  expect(isSuspended([run("x", 1, {}, over("Failed"))])).toBe(false);
  const back = run("back", 5, { rollback: true }, over("Succeeded"));
  expect(isSuspended([run("x", 1, {}, over("Succeeded")), back])).toBe(false);
});
