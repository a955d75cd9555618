import { expect, test } from "vitest";
import { TestClock } from "../../test/harness/clock.ts";
import { formatTime, type MigMigration, type MigStep } from "../api/index.ts";
import type { Eta } from "../progress/index.ts";
import { HistoryShelf } from "./history-shelf.ts";
import { OperationStore } from "./operation-store.ts";

const none = () => Promise.reject(new Error("no cluster"));
const epochMs = Date.parse("2026-11-16T00:00:00Z");

/** The steps of a run, with a phase that counts much and one that counts little, and the seconds that each step takes. */
const stageSteps = { Prepare: 4, VolumeBackup: 60, VolumeRestore: 30, Final: 6 };
const finalSteps = { Prepare: 4, Backup: 20, VolumeBackup: 60, VolumeRestore: 30, Restore: 20, Final: 6 };
const longPhase = new Map([
  ["Backup", "InitialBackupCreated"],
  ["VolumeBackup", "StageBackupCreated"],
  ["VolumeRestore", "StageRestoreCreated"],
  ["Restore", "FinalRestoreCreated"],
]);

type Errand = Pick<NonNullable<MigMigration["spec"]>, "stage" | "rollback">;

/** A run so many seconds after its begin. */
function runAt(name: string, plan: string, errand: Errand, steps: object, seconds: number): MigMigration {
  const time = (after: number) => formatTime(epochMs + after * 1000);
  let from = 0;
  const pipeline = Object.entries(steps).map(([step, takes]): MigStep => {
    const [started, completed] = [from, from + takes];
    from = completed;
    const times = {
      ...(seconds >= started && { started: time(started) }),
      ...(seconds >= completed && { completed: time(completed) }),
    };
    return { name: step, ...times, phases: [{ name: longPhase.get(step) ?? step, ...times }] };
  });
  const isOver = seconds >= from;
  const condition = {
    status: "True",
    category: "Advisory",
    message: "",
    lastTransitionTime: time(0),
  } as const;
  return {
    apiVersion: "migration.openshift.io/v1alpha1",
    kind: "MigMigration",
    metadata: { name, namespace: "velero", uid: name },
    spec: { ...errand, migPlanRef: { name: plan } },
    status: {
      startTimestamp: time(0),
      phase: isOver ? "Completed" : "Running",
      conditions: [{ type: isOver ? "Succeeded" : "Running", ...condition }],
      pipeline,
    },
  };
}

/** An operator that has seen these runs from begin to end; it is asked for the estimate of a final run. */
function operatorAfter(...past: readonly (readonly [string, Errand, Record<string, number>])[]) {
  const client = { get: none, create: none, patch: none };
  const shelf = new HistoryShelf({ client, namespace: "velero", clock: new TestClock() });
  const gallery = new OperationStore({
    book: (object) => shelf.book(object),
    onEnd: (object, tracked) => shelf.learn(object, tracked),
  });
  const watch = (name: string, plan: string, errand: Errand, steps: object, until: number) => {
    let eta: Eta | undefined;
    for (let seconds = 0; seconds <= until; seconds++) {
      const id = gallery.setRoot(runAt(name, plan, errand, steps, seconds));
      eta = gallery.refresh(id, epochMs + seconds * 1000)?.eta;
    }
    return eta;
  };
  for (const [i, [plan, errand, steps]] of past.entries()) {
    const whole = Object.values(steps).reduce((sum, each) => sum + each, 0);
    watch(`past-${i}`, plan, errand, steps, whole);
  }
  shelf.close();
  return (seconds: number) => watch("move", "shop", { stage: false }, finalSteps, seconds);
}

test("a final run is estimated from its begin on by the times of the plan's stage run", () => {
  const eta = operatorAfter(["shop", { stage: true }, stageSteps]);
  // 100 s are known. Of the two steps that a stage run does not have, each counts as a part of the others.
  const early = eta(1);
  expect(early).toHaveProperty("seconds");
  if (!early || "unknown" in early) return;
  expect(early.seconds).toBeGreaterThan(100);
  expect(early.seconds).toBeLessThan(200);
  expect(early.low).toBeLessThan(139);
  expect(early.high).toBeGreaterThan(139);
});

test("a stage run that took three times as long lets the final run expect three times the time", () => {
  const slow = Object.fromEntries(Object.entries(stageSteps).map(([step, takes]) => [step, 3 * takes]));
  const quick = operatorAfter(["shop", { stage: true }, stageSteps])(1);
  const long = operatorAfter(["shop", { stage: true }, slow])(1);
  if (!quick || !long || "unknown" in quick || "unknown" in long) throw new Error("no estimate");
  expect((long.seconds + 1) / (quick.seconds + 1)).toBeCloseTo(3, 1);
});

test.each([
  ["without a run before it", []],
  ["after a stage run of another plan", [["bank", { stage: true }, stageSteps]]],
  ["after a roll-back of its plan", [["shop", { stage: false, rollback: true }, { Prepare: 4, Final: 6 }]]],
] as const)("a final run is not estimated at its begin %s", (_, past) => {
  expect(operatorAfter(...past)(1)).toEqual({ unknown: "too-early" });
});

test("a final run teaches the next one of its plan more than the stage run did", () => {
  const eta = operatorAfter(["shop", { stage: true }, stageSteps], ["shop", { stage: false }, finalSteps])(1);
  if (!eta || "unknown" in eta) throw new Error("no estimate");
  expect(eta.seconds).toBeGreaterThan(125);
  expect(eta.seconds).toBeLessThan(145);
});
