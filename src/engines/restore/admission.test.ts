import { expect, test } from "vitest";
import type { Backup, BackupStorageLocation, Restore } from "../../api/index.ts";
import { admit } from "./admission.ts";

const backup = (name: string, status: object, metadata: object = {}): Backup =>
  ({
    apiVersion: "velero.io/v1",
    kind: "Backup",
    metadata: { name, ...metadata },
    spec: { storageLocation: "default" },
    status,
  }) as Backup;
const location = (phase: string): BackupStorageLocation =>
  ({
    apiVersion: "velero.io/v1",
    kind: "BackupStorageLocation",
    metadata: { name: "default" },
    status: { phase },
  }) as BackupStorageLocation;
const restore = (spec: object): Restore =>
  ({ apiVersion: "velero.io/v1", kind: "Restore", metadata: { name: "r" }, spec }) as Restore;
const labels = { "velero.io/schedule-name": "nightly" };
const backups = [
  backup("good", { phase: "Completed" }),
  backup("busy", { phase: "InProgress" }),
  backup("half", { phase: "PartiallyFailed" }),
  backup("going", { phase: "Completed" }, { deletionTimestamp: "x" }),
  backup("n1", { phase: "Completed", startTimestamp: "2026-01-01T00:00:00Z" }, { labels }),
  backup("n2", { phase: "Completed", startTimestamp: "2026-01-02T00:00:00Z" }, { labels }),
  backup("n3", { phase: "PartiallyFailed", startTimestamp: "2026-01-03T00:00:00Z" }, { labels }),
];
const facts = { backups, locations: [location("Available")], labelValue: (name: string) => name };

test.each([
  [{ backupName: "good" }, "good"],
  [{ backupName: "half" }, "half"],
  [{ scheduleName: "nightly" }, "n2"],
])("admit() takes %j", (spec, want) => {
  const { faults, ...admission } = admit(restore(spec), facts);
  expect(faults).toEqual([]);
  expect(admission.spec).toMatchObject({
    backupName: want,
    includedNamespaces: ["*"],
    itemOperationTimeout: "4h0m0s",
  });
  expect(admission.spec.excludedResources).toContain("nodes");
});

test.each([
  [{ backupName: "missing" }, 'there is no backup "missing"'],
  [{ backupName: "busy" }, "its phase is InProgress"],
  [{ backupName: "going" }, "is being deleted"],
  [{ scheduleName: "weekly" }, 'schedule "weekly" has no completed backup'],
  [{}, "neither a backup nor a schedule"],
  [{ backupName: "good", scheduleName: "nightly" }, "both a backup and a schedule are named"],
])("admit() refuses %j", (spec, want) => {
  expect(admit(restore(spec), facts).faults.join()).toContain(want);
});

test("admit() looks at the storage location", () => {
  const away = { ...facts, locations: [location("Unavailable")] };
  expect(admit(restore({ backupName: "good" }), away).faults.join()).toContain("is unavailable");
  expect(admit(restore({ backupName: "good" }), { ...facts, locations: [] }).faults.join()).toContain(
    "does not exist",
  );
});

test("admit() takes a begun restore whose schedule was replaced by its backup", () => {
  const begun = {
    ...restore({ backupName: "n2", scheduleName: "nightly" }),
    status: { phase: "InProgress" },
  } as Restore;
  expect(admit(begun, facts).faults).toEqual([]);
});
