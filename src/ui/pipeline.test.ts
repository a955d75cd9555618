import { expect, test } from "vitest";
import { anOperation } from "../../test/harness/fake-observer.ts";
import type { Operation, State } from "../progress/index.ts";
import { currentStep, pipeline } from "./pipeline.ts";

function step(title: string, state: State, more: Partial<Operation> = {}): Operation {
  return anOperation(title, { id: title, kind: "step", title, state, ...more });
}

test("pipeline() shows a step that failed: failed here, skipped after it, and why", () => {
  const migration = anOperation("m", {
    kind: "migration",
    state: "failed",
    children: [
      step("Prepare", "completed", { startedAt: 0, finishedAt: 20_000 }),
      step("Backup", "completed"),
      step("VolumeBackup", "failed", { message: "StageBackupCreated: locked" }),
      step("VolumeRestore", "skipped"),
      step("Restore", "skipped"),
      step("Final", "completed"),
    ],
  });
  const steps = pipeline(migration, 0);
  expect(steps.map(({ title, state, description }) => [title, state, description])).toEqual([
    ["Prepare", "Completed", "20s"],
    ["Back up resources", "Completed", ""],
    ["Back up volumes", "Failed", "StageBackupCreated: locked"],
    ["Restore volumes", "Skipped", "after the failure"],
    ["Restore resources", "Skipped", "after the failure"],
    ["Finish", "Completed", ""],
  ]);
  expect(steps.map(({ variant }) => variant)).toEqual([
    "success",
    "success",
    "danger",
    "default",
    "default",
    "success",
  ]);
  expect(currentStep(steps)?.id).toBe("VolumeBackup");
});

test("pipeline() shows the phases of an action set with one action", () => {
  const phases = [step("dump", "running", { kind: "phase" }), step("resume", "pending", { kind: "phase" })];
  const action = anOperation("backup", { kind: "action", children: phases });
  expect(pipeline(anOperation("s", { children: [action] }), 0).map(({ title }) => title)).toEqual([
    "Dump",
    "Resume",
  ]);
  const two = anOperation("s", { children: [action, { ...action, id: "b", title: "other" }] });
  expect(pipeline(two, 0).map(({ title }) => title)).toEqual(["Backup backup", "Other"]);
});

test("pipeline() tells a stall, warnings and the numbers of what runs", () => {
  const stall = { since: 0, cause: "no-movement" } as const;
  const progress = { unit: "items", done: 3, total: 10, movedAt: 0 } as const;
  const steps = pipeline(
    anOperation("b", {
      children: [
        step("one", "completed", { warnings: 2 }),
        step("two", "running", { startedAt: 0, progress }),
        step("three", "running", { children: [anOperation("v", { stall })] }),
        step("four", "skipped"),
        step("five", "canceled"),
      ],
    }),
    5_000,
  );
  expect(steps.map(({ variant, state, description }) => [variant, state, description])).toEqual([
    ["warning", "Completed", "2 warnings"],
    ["info", "Running", "5s · 3 of 10 items"],
    ["warning", "Stalled", ""],
    ["default", "Skipped", "nothing to do"],
    ["default", "Canceled", ""],
  ]);
  expect(currentStep(steps)?.id).toBe("three");
});

test("pipeline() marks the step that failed in part, and none of a run that was refused", () => {
  const part = pipeline(
    anOperation("b", {
      state: "partially-failed",
      errors: 1,
      children: [
        step("items", "partially-failed", { kind: "items", title: "storing objects", errors: 1 }),
        step("finish", "completed", { kind: "finish", title: "writing" }),
      ],
    }),
    0,
  );
  expect(part.map(({ variant, state, description }) => [variant, state, description])).toEqual([
    ["danger", "Partially failed", "1 error"],
    ["success", "Completed", ""],
  ]);
  const refused = anOperation("b", { state: "failed", children: [step("items", "skipped")] });
  expect(pipeline(refused, 0).map(({ variant, description }) => [variant, description])).toEqual([
    ["default", "never started"],
  ]);
});
