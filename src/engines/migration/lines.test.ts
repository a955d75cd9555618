import { expect, test } from "vitest";
import type { Backup, PodVolumeBackup, PodVolumeRestore, Restore } from "../../api/index.ts";
import {
  backupLine,
  headline,
  messageOfLine,
  restoreLine,
  sizeText,
  volumeLine,
  withoutDuration,
} from "./lines.ts";

const started = "2026-11-15T10:00:00Z";
const now = Date.parse("2026-11-15T11:00:03Z");
const later = "2026-11-15T10:02:03Z";
const metadata = { namespace: "om", name: "m" };
const backup = (status: object): Backup =>
  ({ apiVersion: "velero.io/v1", kind: "Backup", metadata, status }) as Backup; // the part that is read
const restore = (status: object): Restore =>
  ({ apiVersion: "velero.io/v1", kind: "Restore", metadata, status }) as Restore;
const volume = (kind: "PodVolumeBackup" | "PodVolumeRestore", status: object) =>
  ({ apiVersion: "velero.io/v1", kind, metadata, status }) as PodVolumeBackup | PodVolumeRestore;
const items = { itemsBackedUp: 6, totalItems: 9 };

test.each([
  ["New", {}, "Backup om/m: Not started"],
  [
    "InProgress",
    { phase: "InProgress", startTimestamp: started, progress: items },
    "Backup om/m: 6 out of estimated total of 9 objects backed up (1h0m3s)",
  ],
  [
    "Completed",
    {
      phase: "Completed",
      startTimestamp: started,
      completionTimestamp: "2026-11-15T10:00:08Z",
      progress: { itemsBackedUp: 26, totalItems: 26 },
    },
    "Backup om/m: 26 out of estimated total of 26 objects backed up (8s)",
  ],
  [
    "PartiallyFailed",
    { phase: "PartiallyFailed", startTimestamp: started, completionTimestamp: later, progress: items },
    "Backup om/m: partially failed. 6 out of estimated total of 9 objects backed up (2m3s)",
  ],
  [
    "Failed",
    { phase: "Failed", startTimestamp: started, completionTimestamp: later, progress: items },
    "Backup om/m: failed. 6 out of estimated total of 9 objects backed up (2m3s)",
  ],
  ["FailedValidation", { phase: "FailedValidation" }, "Backup om/m: validation failed."],
  ["no start", { phase: "InProgress" }, "Backup om/m: 0 out of estimated total of 0 objects backed up"],
  ["Queued", { phase: "Queued", queuePosition: 3 }, "Backup om/m: Queued, position 3"],
  [
    "Finalizing",
    { phase: "Finalizing", startTimestamp: started, progress: items },
    "Backup om/m: Finalizing, 6 out of estimated total of 9 objects backed up (1h0m3s)",
  ],
])("backupLine() of %s", (_name, status, want) => {
  expect(backupLine(backup(status), now)).toBe(want);
});

test.each([
  ["New", {}, "Restore om/m: Not started"],
  ["InProgress", { phase: "InProgress" }, "Restore om/m: InProgress"],
  [
    "counts",
    { phase: "InProgress", startTimestamp: started, progress: { itemsRestored: 2, totalItems: 7 } },
    "Restore om/m: 2 out of estimated total of 7 objects restored (1h0m3s)",
  ],
  ["Completed", { phase: "Completed" }, "Restore om/m: Completed"],
  ["PartiallyFailed", { phase: "PartiallyFailed" }, "Restore om/m: partially failed."],
  ["Failed", { phase: "Failed" }, "Restore om/m: Failed."],
  ["FailedValidation", { phase: "FailedValidation" }, "Restore om/m: validation failed."],
  ["a later phase", { phase: "Finalizing" }, "Restore om/m: Finalizing"],
])("restoreLine() of %s", (_name, status, want) => {
  expect(restoreLine(restore(status), now)).toBe(want);
});

const bytes = { bytesDone: 1_050_000_000, totalBytes: 2_100_000_000 };
test.each([
  ["PodVolumeBackup", {}, "PodVolumeBackup om/m: Waiting for ongoing volume backup(s) to complete"],
  ["PodVolumeRestore", {}, "PodVolumeRestore om/m: Waiting for ongoing volume restore(s) to complete"],
  [
    "PodVolumeBackup",
    { phase: "InProgress", startTimestamp: started, progress: bytes },
    "PodVolumeBackup om/m: 1.05 GB out of 2.10 GB backed up (1h0m3s)",
  ],
  [
    "PodVolumeRestore",
    { phase: "Completed", startTimestamp: started, completionTimestamp: later, progress: bytes },
    "PodVolumeRestore om/m: 1.05 GB out of 2.10 GB restored (2m3s)",
  ],
  [
    "PodVolumeBackup",
    { phase: "Failed", startTimestamp: started, completionTimestamp: later, progress: { bytesDone: 12 } },
    "PodVolumeBackup om/m: Failed. 12 bytes out of 0 bytes backed up (2m3s)",
  ],
  ["PodVolumeBackup", { phase: "Canceled" }, "PodVolumeBackup om/m: Canceled"],
] as const)("volumeLine() of %s %j", (kind, status, want) => {
  expect(volumeLine(volume(kind, status), now)).toBe(want);
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

test("headline() tells items, and volumes with their bytes when there are some", () => {
  expect(headline(backup({ phase: "InProgress", progress: items }), [])).toBe("6/9 items backed up");
  expect(headline(restore({ phase: "InProgress" }), [])).toBe("InProgress");
  expect(headline(restore({ progress: { itemsRestored: 1, totalItems: 2 } }), [])).toBe("1/2 items restored");
  const volumes = [
    volume("PodVolumeBackup", { phase: "Completed", progress: { bytesDone: 500, totalBytes: 500 } }),
    volume("PodVolumeBackup", { phase: "InProgress", progress: { bytesDone: 1000, totalBytes: 4000 } }),
  ];
  expect(headline(backup({ progress: items }), volumes)).toBe(
    "6/9 items backed up, 1/2 volumes, 1.50 kB of 4.50 kB",
  );
});

test("a line can be read without its duration and without its object", () => {
  expect(withoutDuration("Backup om/m: 6 out of 9 (1h0m3s)")).toBe("Backup om/m: 6 out of 9");
  expect(withoutDuration("Pod a/b: Terminating (by hand)")).toBe("Pod a/b: Terminating (by hand)");
  expect(messageOfLine("Pod a/b: Terminating")).toBe("Terminating");
  expect(messageOfLine("2/3 stage pods running")).toBe("2/3 stage pods running");
});
