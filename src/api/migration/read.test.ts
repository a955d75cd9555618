import { expect, test } from "vitest";
import type { MigCondition } from "./group.ts";
import { itineraryOf, migPhaseOf, setMigCondition, stepCount } from "./read.ts";

const t0 = "2026-11-15T10:00:00Z";
const t1 = "2026-11-15T10:05:00Z";

test.each([
  [{ itinerary: "Final" }, "Final"],
  [{ itenerary: "Stage" }, "Stage"],
  [{ itinerary: "Cancel", itenerary: "Final" }, "Cancel"],
  [{ itinerary: "", itenerary: "Final" }, "Final"],
  [{}, undefined],
  [undefined, undefined],
  [null, undefined],
])("itineraryOf(%j) is %j", (status, want) => {
  expect(itineraryOf(status)).toBe(want);
});

test("migPhaseOf() reads absent and empty as Created", () => {
  expect(migPhaseOf(undefined)).toBe("Created");
  expect(migPhaseOf({ phase: "" })).toBe("Created");
  expect(migPhaseOf({ phase: "Verification" })).toBe("Verification");
});

test.each([
  ["Step: 7/33", { step: 7, of: 33 }],
  ["Step: 18 / 33 (running)", { step: 18, of: 33 }],
  ["running", undefined],
  [undefined, undefined],
])("stepCount(%j) is %j", (message, want) => {
  expect(stepCount(message)).toEqual(want);
});

const running: MigCondition = {
  type: "Running",
  status: "True",
  category: "Advisory",
  reason: "StageBackupCreated",
  message: "Step: 18/33",
  lastTransitionTime: t0,
};

test("setMigCondition() keeps the time when progress alone moves", () => {
  const next = { ...running, progress: "6/9 items backed up", durable: false };
  expect(setMigCondition([running], next, t1)).toEqual([{ ...next, lastTransitionTime: t0 }]);
});

test.each([
  { reason: "StageRestoreCreated" },
  { message: "Step: 19/33" },
  { durable: true },
  { status: "False" },
])("setMigCondition() moves the time on %j", (change) => {
  expect(setMigCondition([running], { ...running, ...change }, t1)[0]?.lastTransitionTime).toBe(t1);
});
