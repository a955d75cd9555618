import { expect, test } from "vitest";
import type { Backup, BackupStorageLocation, Drill } from "../../api/index.ts";
import { chooseBackup, specFaults } from "./validate.ts";

type Spec = NonNullable<Drill["spec"]>;

const run = ["true"];
const faulty: readonly (readonly [string, Spec, string])[] = [
  ["nothing to rehearse", {}, "neither a backup nor a schedule"],
  ["too much to rehearse", { backupName: "a", scheduleName: "b" }, "both a backup and a schedule"],
  ["a time-out that is none", { backupName: "a", readyTimeout: "soon" }, 'readyTimeout "soon"'],
  [
    "a modifier that is no ConfigMap",
    { backupName: "a", isolation: { resourceModifier: { kind: "Secret", name: "s" } } },
    "ConfigMap",
  ],
  ["a check of no kind", { backupName: "a", checks: [{ name: "c" }] }, "exactly one of"],
  [
    "a check of two kinds",
    {
      backupName: "a",
      checks: [{ name: "c", exec: { pod: "p", command: run }, http: { pod: "p", port: 1 } }],
    },
    "exactly one of",
  ],
  [
    "a check without a pod",
    { backupName: "a", checks: [{ name: "c", exec: { command: run } }] },
    "neither a pod nor a selector",
  ],
  [
    "two checks of one name",
    { backupName: "a", checks: [1, 2].map(() => ({ name: "c", exec: { pod: "p", command: run } })) },
    "two checks",
  ],
];

test.each(faulty)("specFaults() refuses %s", (_title, spec, words) => {
  expect(specFaults(spec).join("; ")).toContain(words);
});

test("specFaults() takes what can be tried", () => {
  const checks = [
    { name: "c", timeout: "30s", http: { selector: { matchLabels: { app: "web" } }, port: 80 } },
  ];
  expect(specFaults({ scheduleName: "nightly", readyTimeout: "5m", checks })).toEqual([]);
});

const backup = (name: string, phase: string, schedule?: string, start = "2026-01-01T00:00:00Z"): Backup =>
  ({
    apiVersion: "velero.io/v1",
    kind: "Backup",
    metadata: { name, ...(schedule !== undefined && { labels: { "velero.io/schedule-name": schedule } }) },
    spec: { storageLocation: "default" },
    status: { phase, startTimestamp: start },
  }) as Backup; // phases of the table
const location = (phase: string): BackupStorageLocation =>
  ({
    apiVersion: "velero.io/v1",
    kind: "BackupStorageLocation",
    metadata: { name: "default" },
    spec: { provider: "aws", objectStorage: { bucket: "b" } },
    status: { phase },
  }) as BackupStorageLocation; // likewise
const all = [
  backup("old", "Completed", "nightly", "2026-01-01T00:00:00Z"),
  backup("new", "Completed", "nightly", "2026-01-02T00:00:00Z"),
  backup("broken", "Failed", "nightly", "2026-01-03T00:00:00Z"),
];

test.each([
  [
    "the newest good one of a schedule",
    { scheduleName: "nightly" },
    "Available",
    { backup: { metadata: { name: "new" } } },
  ],
  ["the one that is named", { backupName: "old" }, "Available", { backup: { metadata: { name: "old" } } }],
  ["none that is not there", { backupName: "gone" }, "Available", { part: "drill" }],
  ["none that failed", { backupName: "broken" }, "Available", { part: "backup" }],
  ["none whose place is away", { backupName: "old" }, "Unavailable", { part: "location" }],
])("chooseBackup() takes %s", (_title, spec, phase, want) => {
  expect(chooseBackup(spec, { backups: all, locations: [location(phase)] })).toMatchObject(want);
});

test("chooseBackup() names a location that does not exist", () => {
  expect(chooseBackup({ backupName: "old" }, { backups: all, locations: [] })).toMatchObject({
    part: "location",
  });
});
