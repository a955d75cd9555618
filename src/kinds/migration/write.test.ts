import { expect, test } from "vitest";
import { headlineOf, lineOf, type MigDetail, sizeText, wordsOf, writeLines } from "./write.ts";

const startedAt = "2026-11-15T10:00:00Z";
const now = Date.parse("2026-11-15T11:00:03Z");
const completedAt = "2026-11-15T10:02:03Z";
const detail = (kind: string, more: object): MigDetail => ({ kind, namespace: "om", name: "m", ...more });
const items = { done: 6, total: 9, unit: "items" };

test.each([
  ["New", {}, "Backup om/m: Not started"],
  [
    "InProgress",
    { objectPhase: "InProgress", startedAt, ...items },
    "Backup om/m: 6 out of estimated total of 9 objects backed up (1h0m3s)",
  ],
  [
    "Completed",
    {
      objectPhase: "Completed",
      startedAt,
      completedAt: "2026-11-15T10:00:08Z",
      done: 26,
      total: 26,
    },
    "Backup om/m: 26 out of estimated total of 26 objects backed up (8s)",
  ],
  [
    "PartiallyFailed",
    { objectPhase: "PartiallyFailed", startedAt, completedAt, ...items },
    "Backup om/m: partially failed. 6 out of estimated total of 9 objects backed up (2m3s)",
  ],
  [
    "Failed",
    { objectPhase: "Failed", startedAt, completedAt, ...items },
    "Backup om/m: failed. 6 out of estimated total of 9 objects backed up (2m3s)",
  ],
  ["FailedValidation", { objectPhase: "FailedValidation" }, "Backup om/m: validation failed."],
  ["no start", { objectPhase: "InProgress" }, "Backup om/m: 0 out of estimated total of 0 objects backed up"],
  ["Queued", { objectPhase: "Queued", message: "position 3" }, "Backup om/m: Queued, position 3"],
  [
    "Finalizing",
    { objectPhase: "Finalizing", startedAt, ...items },
    "Backup om/m: Finalizing, 6 out of estimated total of 9 objects backed up (1h0m3s)",
  ],
])("lineOf() of a Backup: %s", (_name, status, want) => {
  expect(lineOf(detail("Backup", status), now)).toBe(want);
});

test.each([
  ["New", {}, "Restore om/m: Not started"],
  ["InProgress", { objectPhase: "InProgress" }, "Restore om/m: InProgress"],
  [
    "counts",
    { objectPhase: "InProgress", startedAt, done: 2, total: 7 },
    "Restore om/m: 2 out of estimated total of 7 objects restored (1h0m3s)",
  ],
  ["Completed", { objectPhase: "Completed" }, "Restore om/m: Completed"],
  ["PartiallyFailed", { objectPhase: "PartiallyFailed" }, "Restore om/m: partially failed."],
  ["Failed", { objectPhase: "Failed" }, "Restore om/m: Failed."],
  ["FailedValidation", { objectPhase: "FailedValidation" }, "Restore om/m: validation failed."],
  ["a later phase", { objectPhase: "Finalizing" }, "Restore om/m: Finalizing"],
])("lineOf() of a Restore: %s", (_name, status, want) => {
  expect(lineOf(detail("Restore", status), now)).toBe(want);
});

const bytes = { done: 1_050_000_000, total: 2_100_000_000, unit: "bytes" };
test.each([
  ["PodVolumeBackup", {}, "PodVolumeBackup om/m: Waiting for ongoing volume backup(s) to complete"],
  ["PodVolumeRestore", {}, "PodVolumeRestore om/m: Waiting for ongoing volume restore(s) to complete"],
  [
    "PodVolumeBackup",
    { objectPhase: "InProgress", startedAt, ...bytes },
    "PodVolumeBackup om/m: 1.05 GB out of 2.10 GB backed up (1h0m3s)",
  ],
  [
    "PodVolumeRestore",
    { objectPhase: "Completed", startedAt, completedAt, ...bytes },
    "PodVolumeRestore om/m: 1.05 GB out of 2.10 GB restored (2m3s)",
  ],
  [
    "PodVolumeBackup",
    { objectPhase: "Failed", startedAt, completedAt, done: 12, message: "disk on fire" },
    "PodVolumeBackup om/m: Failed. 12 bytes out of 0 bytes backed up (2m3s): disk on fire",
  ],
  ["PodVolumeBackup", { objectPhase: "Canceled" }, "PodVolumeBackup om/m: Canceled"],
  [
    "DataUpload",
    { objectPhase: "InProgress", startedAt, ...bytes },
    "DataUpload om/m: 1.05 GB out of 2.10 GB backed up (1h0m3s)",
  ],
  [
    "DataDownload",
    { objectPhase: "Failed", startedAt, completedAt, done: 12, total: 20, message: "no room" },
    "DataDownload om/m: Failed. 12 bytes out of 20 bytes restored (2m3s): no room",
  ],
] as const)("lineOf() of a %s: %j", (kind, status, want) => {
  expect(lineOf(detail(kind, status), now)).toBe(want);
});

test.each([
  [0, "0 bytes"],
  [999, "999 bytes"],
  [1000, "1.00 kB"],
  [1_049_999, "1.05 MB"],
  [3e18, "3.00 EB"],
])("sizeText(%d)", (size, want) => {
  expect(sizeText(size)).toBe(want);
});

test("headlineOf() tells items, and volumes with their bytes when there are some", () => {
  const backup = detail("Backup", { ...items, objectPhase: "InProgress" });
  expect(headlineOf(backup, [])).toBe("6/9 items backed up");
  expect(headlineOf(detail("Restore", { objectPhase: "InProgress" }), [])).toBe("InProgress");
  expect(headlineOf(detail("Restore", { done: 1, total: 2 }), [])).toBe("1/2 items restored");
  const volumes = [
    detail("PodVolumeBackup", { state: "completed", done: 500, total: 500 }),
    detail("PodVolumeBackup", { state: "running", done: 1000, total: 4000 }),
  ];
  expect(headlineOf(backup, volumes)).toBe("6/9 items backed up, 1/2 volumes, 1.50 kB of 4.50 kB");
});

test("headlineOf() has a total only where that of the volumes in line is in it", () => {
  const restore = detail("Restore", { done: 2, total: 2 });
  const running = detail("PodVolumeRestore", { state: "running", done: 1000, total: 4000 });
  const waits = detail("PodVolumeRestore", { state: "pending" });
  expect(headlineOf(restore, [running, waits])).toBe(
    "2/2 items restored, 0/2 volumes, 1.00 kB, 1 not yet measured",
  );
  expect(headlineOf(restore, [running, { ...waits, done: 0, total: 6000 }])).toBe(
    "2/2 items restored, 0/2 volumes, 1.00 kB of 10.00 kB",
  );
});

test("lineOf() of a remark is what it says, with the time where it has a begin", () => {
  const leaving = detail("Pod", { message: "Terminating", remark: true, startedAt });
  expect(lineOf(leaving, now)).toBe("Pod om/m: Terminating (1h0m3s)");
  expect(lineOf(leaving)).toBe("Pod om/m: Terminating");
  expect(wordsOf(leaving)).toBe("Terminating");
  expect(lineOf({ message: "2/2 Namespaces labeled", remark: true }, now)).toBe("2/2 Namespaces labeled");
  expect(lineOf(detail("Job", { objectPhase: "Running", state: "running" }), now)).toBe("Job om/m: Running");
});

test("writeLines() keeps results of earlier phases and all of the running one", () => {
  const details = [
    detail("Job", { phase: "PreBackupHooks", objectPhase: "Succeeded" }),
    detail("Pod", { phase: "StagePodsCreated", message: "Running" }),
    detail("Backup", { phase: "EnsureStageBackupReplicated", message: "Not replicated", remark: true }),
  ];
  expect(writeLines(details, "EnsureStageBackupReplicated", now)).toEqual([
    "Job om/m: Succeeded",
    "Backup om/m: Not replicated",
  ]);
  expect(writeLines(details, undefined, now)).toEqual(["Job om/m: Succeeded"]);
});

test("headlineOf() and wordsOf() never tell an expected size as a fact", () => {
  const volume = (more: object) =>
    detail("PodVolumeBackup", { objectPhase: "InProgress", unit: "bytes", ...more });
  const volumes = [
    volume({ state: "running", done: 1_000_000, total: 2_000_000 }),
    volume({ state: "pending", done: 0, total: 3_000_000, estimated: true, objectPhase: "New" }),
  ];
  expect(headlineOf(detail("Backup", items), volumes)).toBe(
    "6/9 items backed up, 0/2 volumes, 1.00 MB of about 5.00 MB",
  );
  expect(wordsOf(volume({ done: 0, total: 3_000_000, estimated: true }))).toContain("out of about 3.00 MB");
});
