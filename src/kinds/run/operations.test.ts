import { expect, test } from "vitest";
import type { StoredOperationStatus } from "../../api/index.ts";
import type { Observation } from "../../progress/index.ts";
import { countOperations, isOperationEnded, isRunUnderWay, lastPhase } from "./operations.ts";

const seen: Observation = {
  id: "x",
  ref: { apiVersion: "velero.io/v1", kind: "Backup", name: "b" },
  kind: "x",
  title: "x",
};
const of = (phase: StoredOperationStatus["phase"]) => ({ stored: { status: phase ? { phase } : {} }, seen });

test("countOperations() counts as upstream does and leaves zeros out", () => {
  expect(countOperations("backup", [])).toEqual({});
  expect(countOperations("backup", [of("New"), of(undefined)])).toEqual({ backupItemOperationsAttempted: 2 });
  expect(
    countOperations("restore", [of("Completed"), of("Failed"), of("Canceled"), of("InProgress")]),
  ).toEqual({
    restoreItemOperationsAttempted: 4,
    restoreItemOperationsCompleted: 1,
    restoreItemOperationsFailed: 2,
  });
});

test.each([
  ["New", false],
  ["InProgress", false],
  ["Completed", true],
  ["Failed", true],
  ["Canceled", true],
] as const)("isOperationEnded() of %s is %s", (phase, want) => {
  expect(isOperationEnded({ phase })).toBe(want);
});

test("lastPhase() tells errors apart", () => {
  expect(lastPhase("waiting", 0)).toBe("WaitingForPluginOperations");
  expect(lastPhase("waiting", 1)).toBe("WaitingForPluginOperationsPartiallyFailed");
  expect(lastPhase("finishing", 0)).toBe("Finalizing");
  expect(lastPhase("finishing", 2)).toBe("FinalizingPartiallyFailed");
});

test("isRunUnderWay() holds from the first item to the last file", () => {
  const phases = ["InProgress", "WaitingForPluginOperationsPartiallyFailed", "Finalizing"];
  expect(phases.map(isRunUnderWay)).toEqual([true, true, true]);
  expect([undefined, "", "New", "Queued", "Completed", "Failed", "Deleting"].map(isRunUnderWay)).toEqual(
    Array(7).fill(false),
  );
});
