import { expect, test } from "vitest";
import type { MigCondition, MigMigration, MigPlan } from "../../api/index.ts";
import { describePlan } from "../plan/run.ts";
import { describeText, outcomeOf, typeOf } from "./describe.ts";
import { conditionLines, readiness } from "./objects.ts";

const at = "2026-11-15T10:00:00Z";
const condition = (type: string, category = "Advisory", more: object = {}): MigCondition => ({
  type,
  status: "True",
  category,
  lastTransitionTime: at,
  ...more,
});
const run = (status?: MigMigration["status"]): MigMigration => ({
  apiVersion: "migration.openshift.io/v1alpha1",
  kind: "MigMigration",
  metadata: { name: "move", namespace: "velero" },
  spec: { stage: false, migPlanRef: { name: "shop" } },
  ...(status && { status }),
});

test.each([
  [undefined, "New"],
  [{ startTimestamp: at }, "Running"],
  [{ conditions: [condition("Succeeded")] }, "Succeeded"],
  [{ conditions: [condition("Failed")] }, "Failed"],
  [{ conditions: [condition("Canceled"), condition("Succeeded")] }, "Canceled"],
  [{ conditions: [condition("PlanNotReady", "Critical")] }, "PlanNotReady"],
])("outcomeOf() of %j", (status, want) => {
  expect(outcomeOf(run(status))).toBe(want);
});

test("describeText() tells where a failed run failed, with the times of its phases on request", () => {
  const failed = run({
    startTimestamp: at,
    phase: "Completed",
    itinerary: "Failed",
    errors: ["Backup velero/b: failed."],
    conditions: [condition("Failed", "Advisory", { message: "see\u001b[2J errors" })],
    pipeline: [
      { name: "Prepare", started: at, completed: "2026-11-15T10:00:04Z", message: "Completed" },
      {
        name: "Backup",
        started: at,
        completed: "2026-11-15T10:02:03Z",
        failed: true,
        phase: "InitialBackupCreated",
        message: "Failed",
        progress: ["Backup velero/b: failed. 6 out of 9"],
        phases: [
          { name: "PreBackupHooks", started: at, completed: at },
          { name: "InitialBackupCreated", started: at },
        ],
      },
      { name: "Restore", skipped: true, message: "Skipped", reason: "an earlier step failed" },
    ],
  });
  const text = describeText(failed, true, Date.parse(at));
  expect(text.split("\n")).toEqual([
    "Name:       move",
    "Namespace:  velero",
    "Plan:       shop",
    "Type:       Final",
    "Status:     Failed",
    "Itinerary:  Failed",
    "Phase:      Completed",
    "Started:    2026-11-15 10:00:00 +0000 UTC",
    "Errors:",
    "  Backup velero/b: failed.",
    "Steps:",
    "  Prepare        4s         Completed",
    "  Backup         2m 03s     Failed in InitialBackupCreated",
    "    Backup velero/b: failed. 6 out of 9",
    "      PreBackupHooks                   0s",
    "      InitialBackupCreated             0s",
    "  Restore                   Skipped, an earlier step failed",
    "Conditions:",
    "  Advisory: Failed: see [2J errors",
    "",
  ]);
  expect(describeText(failed, false, 0)).not.toContain("PreBackupHooks");
});

test("readiness() and conditionLines() put what is wrong first", () => {
  const all = [condition("Ready", "Required"), condition("PlanConflict", "Error", { message: "no" })];
  expect(readiness(all)).toBe("PlanConflict");
  expect(readiness([condition("Ready", "Required")])).toBe("Ready");
  expect(readiness(undefined)).toBe("Pending");
  expect(conditionLines(all)).toEqual(["  Error: PlanConflict: no", "  Required: Ready"]);
});

test("describePlan() lists volumes with what happens to them", () => {
  const plan: MigPlan = {
    apiVersion: "migration.openshift.io/v1alpha1",
    kind: "MigPlan",
    metadata: { name: "shop" },
    spec: {
      namespaces: ["shop:store"],
      persistentVolumes: [
        {
          name: "pv-1",
          capacity: "1Gi",
          pvc: { namespace: "shop", name: "data" },
          supported: { actions: ["copy"], copyMethods: ["filesystem"] },
          selection: { action: "copy", copyMethod: "filesystem", storageClass: "fast" },
        },
      ],
    },
  };
  expect(describePlan(plan)).toMatch(/pv-1\s+shop\/data\s+1Gi\s+copy\s+filesystem\s+fast/);
});

test.each([
  [{ migPlanRef: { name: "shop" }, stage: false, rollback: true }, "Rollback"],
  [{ migPlanRef: { name: "shop" }, stage: true }, "Stage"],
  [{ migPlanRef: { name: "shop" }, stage: false }, "Final"],
])("typeOf() %#", (spec, want) => {
  expect(typeOf({ spec })).toBe(want);
});
