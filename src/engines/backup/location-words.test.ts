import { expect, test } from "vitest";
import type { BackupStorageLocation } from "../../api/index.ts";
import { remarksOf, syncPeriod, validationPeriod } from "./location-words.ts";

function location(spec: object, annotations: Record<string, string> = {}): BackupStorageLocation {
  return {
    apiVersion: "velero.io/v1",
    kind: "BackupStorageLocation",
    metadata: { name: "default", annotations },
    spec: { provider: "aws", objectStorage: { bucket: "b" }, ...spec },
  } as BackupStorageLocation;
}

test("a location without periods is checked and searched every minute, and there is nothing to say", () => {
  expect([validationPeriod(location({})).ms, syncPeriod(location({})).ms]).toEqual([60_000, 60_000]);
  expect(remarksOf(location({}))).toBeUndefined();
});

test("remarksOf() says everything at once", () => {
  const odd = location(
    { validationFrequency: "-5m", backupSyncPeriod: "1ns" },
    { "headway.dev/missing-backups": "3 of 4" },
  );
  expect(remarksOf(odd, undefined, "and more")).toBe(
    [
      'validationFrequency "-5m" is negative: 1m0s is used instead',
      'backupSyncPeriod "1ns" is shorter than a second: 1m0s is used instead',
      "the files of 3 of 4 backups are gone from the store; their Backup objects stay until somebody says: headway location forget-missing default",
      "and more",
    ].join("; "),
  );
});
