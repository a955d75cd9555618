import { expect, test } from "vitest";
import type { MigMigration } from "../../api/index.ts";
import { readMigration } from "./read.ts";

function migration(status: NonNullable<MigMigration["status"]>, stage = false): MigMigration {
  return {
    apiVersion: "migration.openshift.io/v1alpha1",
    kind: "MigMigration",
    metadata: { name: "move", namespace: "openshift-migration" },
    spec: { stage },
    status,
  };
}
const at = "2026-11-15T10:00:00Z";

test("readMigration() shows the pipeline with what failed and what was skipped", () => {
  const seen = readMigration(
    migration({
      startTimestamp: at,
      phase: "Completed",
      errors: ["backup failed"],
      conditions: [
        { type: "Failed", status: "True", category: "Advisory", message: "", lastTransitionTime: at },
      ],
      pipeline: [
        { name: "Prepare", started: at, completed: at },
        { name: "Backup", started: at, completed: at, failed: true },
        { name: "StageBackup", skipped: true },
        { name: "Restore" },
      ],
    }),
  );
  expect(seen).toMatchObject({ kind: "migration", state: "failed", message: "backup failed" });
  expect(seen.children?.map((step) => step.state)).toEqual(["completed", "failed", "skipped", "skipped"]);
});

test("readMigration() reads an old migration's count of steps", () => {
  const seen = readMigration(
    migration({
      startTimestamp: at,
      phase: "InitialBackupCreated",
      conditions: [
        {
          type: "Running",
          status: "True",
          category: "Advisory",
          message: "Step: 7/33",
          lastTransitionTime: at,
        },
      ],
    }),
  );
  expect(seen).toMatchObject({ state: "running", progress: { unit: "steps", done: 6, total: 33 } });
});

test("readMigration() takes the numbers of a step's objects as numbers", () => {
  const seen = readMigration(
    migration(
      {
        startTimestamp: at,
        phase: "StageBackupCreated",
        pipeline: [
          {
            name: "VolumeBackup",
            started: at,
            progress: ["Backup stage: 6 of 9"],
            details: [
              { kind: "PodVolumeBackup", namespace: "velero", name: "a", done: 6, total: 9, unit: "bytes" },
            ],
          },
        ],
      },
      true,
    ),
  );
  expect(seen.kind).toBe("stage");
  expect(seen.children?.[0]).toMatchObject({
    state: "running",
    message: "Backup stage: 6 of 9",
    children: [{ title: "PodVolumeBackup a", progress: { unit: "bytes", done: 6, total: 9 } }],
  });
});

test("readMigration() is a tree: steps, their phases, the objects on both clusters, volumes under their run", () => {
  const detail = (kind: string, name: string, more: object) => ({
    kind,
    namespace: "velero",
    name,
    cluster: "blue",
    phase: "StageBackupCreated",
    ...more,
  });
  const seen = readMigration(
    migration({
      startTimestamp: at,
      phase: "StageBackupCreated",
      step: "VolumeBackup",
      conditions: [
        {
          type: "Running",
          status: "True",
          category: "Advisory",
          message: "Step: 18/33",
          progress: "6/9 items backed up",
          lastTransitionTime: at,
        },
      ],
      pipeline: [
        {
          name: "Prepare",
          started: at,
          completed: at,
          phases: [{ name: "Started", started: at, completed: at }],
        },
        {
          name: "VolumeBackup",
          started: at,
          phase: "StageBackupCreated",
          message: "Waiting for the backup",
          progress: ["Backup velero/b: 6 out of 9"],
          phases: [
            { name: "EnsureQuiesced", skipped: true },
            { name: "StageBackupCreated", started: at },
            { name: "EnsureStageBackupReplicated" },
          ],
          details: [
            detail("Backup", "b", { done: 6, total: 9, unit: "items", state: "running" }),
            detail("PodVolumeBackup", "b-x", {
              done: 10,
              total: 40,
              unit: "bytes",
              state: "running",
              claim: { namespace: "shop", name: "data" },
            }),
          ],
        },
        { name: "Final", phases: [{ name: "Completed" }] },
      ],
    }),
  );
  expect(seen.message).toBe("Waiting for the backup: 6/9 items backed up");
  expect(seen.children?.map(({ weight }) => weight)).toEqual([1, 21, 1]);
  const [, step] = seen.children ?? [];
  expect(step?.children?.map(({ title, state, weight }) => [title, state, weight])).toEqual([
    ["EnsureQuiesced", "skipped", 0],
    ["StageBackupCreated", "running", 20],
    ["EnsureStageBackupReplicated", "pending", 1],
  ]);
  expect(step?.children?.[1]?.children).toMatchObject([
    {
      title: "Backup b (blue)",
      ref: { cluster: "blue", apiVersion: "velero.io/v1", kind: "Backup", name: "b" },
      children: [
        { id: "items", progress: { unit: "items", done: 6, total: 9 } },
        {
          id: "volumes",
          rule: "sum",
          children: [{ title: "claim shop/data (blue)", progress: { done: 10 } }],
        },
      ],
    },
  ]);
});

test("readMigration() says what a migration waits for, and where a cancel came", () => {
  const held = readMigration(
    migration({
      conditions: [
        {
          type: "Postponed",
          status: "True",
          category: "Critical",
          message: "Postponed 10 seconds",
          lastTransitionTime: at,
        },
      ],
    }),
  );
  expect(held).toMatchObject({ state: "pending", waitingFor: { message: "Postponed 10 seconds" } });
  const waiting = readMigration(
    migration({
      startTimestamp: at,
      phase: "EnsureQuiesced",
      pipeline: [
        {
          name: "VolumeBackup",
          started: at,
          phase: "EnsureQuiesced",
          progress: ["Pod shop/a: Terminating (3s)"],
          details: [
            {
              kind: "Pod",
              namespace: "shop",
              name: "a",
              phase: "EnsureQuiesced",
              message: "Terminating",
              startedAt: at,
              remark: true,
            },
          ],
          phases: [{ name: "EnsureQuiesced", started: at }],
        },
      ],
    }),
  );
  expect(waiting.children?.[0]?.children?.[0]).toMatchObject({
    waitingFor: { message: "Pod shop/a: Terminating" },
  });
  expect(waiting.children?.[0]?.children?.[0]?.children).toBeUndefined();
  const canceled = readMigration(
    migration({
      startTimestamp: at,
      phase: "Completed",
      conditions: [
        { type: "Canceled", status: "True", category: "Advisory", message: "", lastTransitionTime: at },
      ],
      pipeline: [
        {
          name: "Backup",
          started: at,
          completed: at,
          message: "Canceled",
          canceled: true,
          phases: [{ name: "PreBackupHooks", started: at }],
        },
        {
          name: "Restore",
          skipped: true,
          reason: "the migration was canceled",
          phases: [{ name: "FinalRestoreCreated" }],
        },
        { name: "Final", started: at, completed: at, message: "Completed" },
      ],
    }),
  );
  expect(canceled.children?.map(({ state }) => state)).toEqual(["canceled", "skipped", "completed"]);
  expect(canceled.children?.[0]?.children?.[0]?.state).toBe("canceled");
  expect(canceled.children?.[1]).toMatchObject({ message: "the migration was canceled" });
});

const said = (type: string, category: "Warn" | "Advisory" | "Critical", message: string) => ({
  type,
  category,
  message,
  status: "True",
  lastTransitionTime: at,
});

test("readMigration() shows what is tried again as what it waits for", () => {
  const conditions = [said("Retrying", "Warn", "list pods: Unauthorized")];
  const status = { startTimestamp: at, phase: "Prepare", conditions };
  expect(readMigration(migration(status))).toMatchObject({
    state: "running",
    waitingFor: { reason: "retry", message: "list pods: Unauthorized" },
  });
  const held = [...conditions, said("PlanNotReady", "Critical", "the plan is not ready")];
  expect(readMigration(migration({ ...status, conditions: held })).waitingFor).toEqual({
    reason: "plan",
    message: "the plan is not ready",
  });
});

test.each([
  ["canceled", [said("Canceled", "Advisory", "It was canceled.")], "It was canceled."],
  [
    "partially-failed",
    [said("StageNoOp", "Warn", "No volumes."), said("SucceededWithWarnings", "Advisory", "see above")],
    "No volumes.",
  ],
])("readMigration() ends %s with the words for it", (state, conditions, message) => {
  const status = { startTimestamp: at, phase: "Completed", conditions };
  expect(readMigration(migration(status))).toMatchObject({ state, message });
});
