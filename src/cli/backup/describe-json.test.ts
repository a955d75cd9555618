import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Backup, DeleteBackupRequest, PodVolumeBackup } from "../../api/index.ts";
import { describeJson } from "./describe-json.ts";

// Recorded from Velero 1.17: a backup, and what `velero backup describe -o json` printed about it.
const read = (name: string): unknown =>
  JSON.parse(readFileSync(join(import.meta.dirname, "testdata", `velero-1.17-${name}`), "utf8"));
const backup = read("backup.json") as Backup;
const copies = read("podvolumebackups.json") as PodVolumeBackup[];
const resourceList = read("resource-list.json") as Record<string, string[]>;
const plain = { copies: [], deletions: [], details: false };

test("describeJson() says what velero says", () => {
  expect(describeJson({ backup, copies, deletions: [], details: false })).toEqual(read("describe.json"));
});

test("describeJson() says what velero says with --details", () => {
  expect(describeJson({ backup, copies, deletions: [], details: true, resourceList })).toEqual(
    read("describe-details.json"),
  );
});

test("describeJson() of a running backup has the counts so far and the operation", () => {
  const running = {
    ...backup,
    status: {
      phase: "InProgress",
      startTimestamp: "2026-11-15T19:14:53Z",
      progress: { totalItems: 10, itemsBackedUp: 3 },
    },
  } as unknown as Backup;
  const operation = { id: "x", fraction: 0.25 } as unknown as NonNullable<
    Parameters<typeof describeJson>[0]["operation"]
  >;
  expect(describeJson({ ...plain, backup: running, operation })).toMatchObject({
    phase: "InProgress",
    status: { estimatedTotalItemsToBeBackedUp: 10, itemsBackedUpSoFar: 3, completed: "<n/a>" },
    operation: { fraction: 0.25 },
  });
});

test("describeJson() tells findings, validation errors, the reason of a failure and attempts to delete", () => {
  const failed = {
    ...backup,
    spec: {
      includedNamespaceScopedResources: ["pods"],
      orLabelSelectors: [{ matchLabels: { a: "b" } }, { matchLabels: { c: "d" } }],
      resourcePolicy: { kind: "configmap", name: "rules" },
    },
    status: { phase: "Failed", failureReason: "why", validationErrors: ["no"], warnings: 2, errors: 1 },
  } as unknown as Backup;
  const deletions = [
    { metadata: { name: "d", creationTimestamp: "t" }, status: { phase: "Processed", errors: ["stuck"] } },
  ] as unknown as DeleteBackupRequest[];
  const results = { errors: { cluster: ["bad"] }, warnings: {} };
  expect(describeJson({ ...plain, backup: failed, deletions, results })).toMatchObject({
    phase: "Failed",
    failureReason: "why",
    validationErrors: ["no"],
    errors: { cluster: ["bad"] },
    resourcePolicies: { type: "configmap", name: "rules" },
    spec: { resources: { includedNamespaceScoped: "pods" }, orLabelSelector: "a=b or c=d" },
    deletionAttempts: { failed: 1, deleteBackupRequests: [{ phase: "Processed", errors: ["stuck"] }] },
  });
  expect(describeJson({ ...plain, backup: failed })).toMatchObject({ errors: 1, warnings: 2 });
});
