import { expect, test } from "vitest";
import type { MigMigration } from "../api/index.ts";
import { observeMigration } from "./migration.ts";

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

test("observeMigration() shows the pipeline with what failed and what was skipped", () => {
  const seen = observeMigration(
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

test("observeMigration() reads an old migration's count of steps", () => {
  const seen = observeMigration(
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

test("observeMigration() takes the numbers of a step's objects as numbers", () => {
  const seen = observeMigration(
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
