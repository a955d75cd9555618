import { expect, test } from "vitest";
import type { Operation, State } from "../../progress/index.ts";
import { operationLines } from "./pipeline.ts";

const ref = { apiVersion: "v1", kind: "MigMigration", name: "move" };
const part = (kind: string, title: string, state: State, more: Partial<Operation> = {}): Operation => ({
  id: title,
  ref,
  kind,
  title,
  state,
  warnings: 0,
  errors: 0,
  children: [],
  ...more,
});
const copy = part("podvolumebackup", "claim shop/data (blue)", "running", {
  fraction: 0.25,
  progress: { unit: "bytes", done: 256, total: 1024, movedAt: 0 },
});
const running = part("migration", "Migration move", "running", {
  fraction: 0.4,
  eta: { seconds: 120, low: 100, high: 150 },
  children: [
    part("step", "Prepare", "completed", { startedAt: 0, finishedAt: 4_000 }),
    part("step", "Backup", "completed"),
    part("step", "VolumeBackup", "running", {
      fraction: 0.43,
      children: [
        part("phase", "EnsureStageBackup", "completed"),
        part("phase", "StageBackupCreated", "running", { children: [copy] }),
        part("phase", "EnsureStageBackupReplicated", "pending"),
      ],
    }),
    part("step", "VolumeRestore", "pending"),
    part("step", "Restore", "skipped"),
    part("step", "Final", "pending"),
  ],
});

test("a migration is one line for the whole, one for its steps, and the running step's objects", () => {
  const lines = operationLines(running, 0, { columns: 140, color: false });
  expect(lines[0]).toContain("40%");
  expect(lines[0]).toContain("about 2 min left");
  expect(lines[1]).toBe(
    "  ✓ Prepare 4s ── ✓ Back up resources ── › Back up volumes 43% ── · Restore volumes ── - Restore resources ── · Finish",
  );
  expect(lines.slice(2).map((line) => line.split(/ [›✓·]/)[0]?.trimEnd())).toEqual([
    "  Back up volumes",
    "  └─ StageBackupCreated",
    "     └─ claim shop/data (blue)",
  ]);
});

test("on a narrow terminal only the running step keeps its name", () => {
  const lines = operationLines(running, 0, { columns: 60, color: false });
  expect(lines[1]).toBe("  ✓ ── ✓ ── › Back up volumes 43% ── · ── - ── ·");
});

test("a failed migration shows the phase that failed", () => {
  const failed = {
    ...running,
    state: "failed" as const,
    children: [
      part("step", "Backup", "failed", { children: [part("phase", "InitialBackupCreated", "failed")] }),
      part("step", "Final", "completed"),
    ],
  };
  expect(operationLines(failed, 0, { columns: 100, color: false }).join("\n")).toContain(
    "InitialBackupCreated",
  );
});

test("other operations stay trees", () => {
  expect(
    operationLines(part("backup", "b", "running", { children: [copy] }), 0, { columns: 80, color: false }),
  ).toHaveLength(2);
});

test("once all steps are over their names take as many lines as they need", () => {
  const children = running.children.map((step) => ({ ...step, state: "completed" as const }));
  const lines = operationLines({ ...running, state: "completed", children }, 0, {
    columns: 60,
    color: false,
  });
  expect(lines.slice(1)).toEqual([
    "  ✓ Prepare 4s ── ✓ Back up resources ── ✓ Back up volumes",
    "  ✓ Restore volumes ── ✓ Restore resources ── ✓ Finish",
  ]);
});
