import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Backup, DeleteBackupRequest, PodVolumeBackup } from "../../api/index.ts";
import { describeText } from "./describe-text.ts";

// Recorded from Velero 1.17: a backup, and what its command line printed about it.
const read = (name: string) =>
  readFileSync(join(import.meta.dirname, "testdata", `velero-1.17-${name}`), "utf8");
const backup = JSON.parse(read("backup.json")) as Backup;
const copies = JSON.parse(read("podvolumebackups.json")) as PodVolumeBackup[];
const resourceList = JSON.parse(read("resource-list.json")) as Record<string, string[]>;

test("describeText() prints what velero prints", () => {
  expect(describeText({ backup, copies, deletions: [], details: false })).toBe(read("describe.txt"));
});

test("describeText() prints what velero prints with --details", () => {
  expect(describeText({ backup, copies, deletions: [], details: true, resourceList })).toBe(
    read("describe-details.txt"),
  );
});

test("describeText() prints what velero prints while it runs, and the share", () => {
  const spaces = Array.from({ length: 10 }, (_, i) => `load-${i}`);
  const running = {
    ...backup,
    metadata: { ...backup.metadata, name: "bkill" },
    spec: { ...backup.spec, includedNamespaces: spaces },
    status: {
      phase: "InProgress",
      formatVersion: "1.1.0",
      startTimestamp: "2026-11-15T19:14:53Z",
      expiration: "2026-12-15T19:14:53Z",
      progress: { totalItems: 10030, itemsBackedUp: 3528 },
    },
  } as unknown as Backup;
  const lines = describeText({ backup: running, copies: [], deletions: [], details: true }).split("\n");
  const share = lines.findIndex((line) => line.startsWith("Share of the items:"));
  expect(lines[share]).toBe("Share of the items:                     35%");
  expect(lines.toSpliced(share, 1).join("\n")).toBe(read("describe-in-progress.txt"));
});

test("describeText() tells why a backup was refused, what went wrong, and how its deletion goes", () => {
  const failed = {
    ...backup,
    status: {
      ...backup.status,
      phase: "PartiallyFailed",
      errors: 1,
      warnings: 1,
      validationErrors: ["no such location"],
    },
  } as Backup;
  const deletion = {
    metadata: { name: "d", creationTimestamp: "2026-11-15T20:00:00Z" },
    status: { phase: "Processed", errors: ["read-only"] },
  } as unknown as DeleteBackupRequest;
  const results = { errors: { namespaces: { shop: ["bad"] } }, warnings: { cluster: ["odd"] } };
  const text = describeText({ backup: failed, copies: [], deletions: [deletion], details: false, results });
  expect(text).toContain("Phase:  PartiallyFailed (run `headway backup logs golden` for more information)");
  expect(text).toContain("Validation errors:  no such location");
  expect(text).toContain(
    "Errors:\n  Velero:     <none>\n  Cluster:    <none>\n  Namespaces:\n    shop:\n      bad",
  );
  expect(text).toContain(
    "Deletion Attempts (1 failed):\n  2026-11-15 20:00:00 +0000 UTC: Processed\n  Errors:\n    read-only",
  );
});

test("describeText() shows the whole, and in one sentence what happens, while a backup runs", () => {
  const running = {
    ...backup,
    status: { phase: "InProgress", startTimestamp: "2026-11-15T19:14:53Z" },
  } as unknown as Backup;
  const ref = { apiVersion: "velero.io/v1", kind: "Backup", name: "golden" };
  const part = { ref, warnings: 0, errors: 0, children: [], kind: "items", state: "running" as const };
  const waiting = {
    ...part,
    id: "items",
    title: "items",
    waitingFor: { reason: "hook", message: "pre hook of pod shop/db" },
  };
  const operation = {
    ...part,
    id: "b",
    title: "b",
    fraction: 0.42,
    message: "pods shop/db",
    eta: { unknown: "waiting" as const },
    children: [waiting],
  };
  const text = describeText({ backup: running, copies: [], deletions: [], details: false, operation });
  expect(text).toMatch(/Share of the whole: +42%/);
  expect(text).toMatch(/Present item: +pods shop\/db/);
  expect(text).toMatch(/Status: +waiting for pre hook of pod shop\/db/);
});
