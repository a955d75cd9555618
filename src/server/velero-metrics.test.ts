import { expect, test } from "vitest";
import { readExposition } from "../../test/harness/exposition.ts";
import { anOperation } from "../../test/harness/fake-observer.ts";
import type { Schedule } from "../api/index.ts";
import { allFamilies, nodeFamilies, protectionFamilies, veleroFamilies } from "./families.ts";
import { VeleroMetrics, type Watched } from "./velero-metrics.ts";

const at = (seconds: number) => new Date(Date.UTC(2026, 10, 17, 0, 0, seconds)).toISOString();
const nowMs = Date.UTC(2026, 10, 17, 1);

function open() {
  const metrics = new VeleroMetrics({ intervalMs: () => 3_600_000 });
  const there = new Map<string, Watched>();
  /** An object as the cluster would tell of it: after the one of the same name before it. */
  const tell = (kind: string, name: string, more: object = {}) => {
    const key = `${kind}/${name}`;
    const { metadata, ...rest } = more as { metadata?: object };
    const object = {
      apiVersion: "velero.io/v1",
      kind,
      metadata: { namespace: "velero", name, ...metadata },
      ...rest,
    } as Watched;
    metrics.change(object, there.get(key));
    there.set(key, object);
  };
  const gone = (kind: string, name: string) => metrics.change(undefined, there.get(`${kind}/${name}`));
  const read = (operations = [anOperation("none", { state: "completed" })]) =>
    readExposition(metrics.text(operations, nowMs));
  const value = (name: string) => read().samples.get(name);
  return { metrics, tell, gone, read, value };
}

const labelled = { labels: { "velero.io/schedule-name": "nightly" }, creationTimestamp: at(0) };
const nightly = '{schedule="nightly"}';

test("the names are upstream's", () => {
  const suffixes = [
    "backup_total backup_attempt_total backup_success_total backup_partial_failure_total backup_failure_total",
    "backup_validation_failure_total backup_duration_seconds backup_tarball_size_bytes backup_items_total backup_items_errors backup_warning_total",
    "backup_last_status backup_last_successful_timestamp backup_deletion_attempt_total backup_deletion_success_total",
    "backup_deletion_failure_total backup_location_status_gauge restore_total restore_attempt_total restore_validation_failed_total",
    "restore_failed_total restore_success_total restore_partial_failure_total volume_snapshot_attempt_total",
    "volume_snapshot_success_total volume_snapshot_failure_total csi_snapshot_attempt_total csi_snapshot_success_total",
    "csi_snapshot_failure_total schedule_expected_interval_seconds repo_maintenance_success_total",
    "repo_maintenance_failure_total repo_maintenance_duration_seconds",
  ].flatMap((line) => line.split(" "));
  expect(
    Object.values(veleroFamilies)
      .map(({ name }) => name)
      .toSorted(),
  ).toEqual(suffixes.map((suffix) => `velero_${suffix}`).toSorted());
});

test("VeleroMetrics tells nothing before it is fed, and zeros from then on", () => {
  const { metrics, tell, value } = open();
  expect(metrics.text([], nowMs)).toBe("");
  tell("Schedule", "nightly", { metadata: labelled, spec: { schedule: "@daily" } });
  for (const schedule of ["", "nightly"]) {
    expect(value(`velero_backup_failure_total{schedule="${schedule}"}`)).toBe(0);
    expect(value(`velero_backup_last_status{schedule="${schedule}"}`)).toBe(1);
  }
  expect(value(`velero_schedule_expected_interval_seconds${nightly}`)).toBe(3600);
});

test("VeleroMetrics counts what happens to backups, by schedule", () => {
  const { tell, gone, read, value } = open();
  tell("Backup", "old", { metadata: labelled, status: { phase: "Completed", completionTimestamp: at(5) } });
  tell("Backup", "b", { metadata: labelled });
  tell("Backup", "b", { metadata: labelled, status: { phase: "InProgress", startTimestamp: at(10) } });
  const numbers = { startTimestamp: at(10), completionTimestamp: at(100), warnings: 2, errors: 3 };
  const snapshots = { volumeSnapshotsAttempted: 3, volumeSnapshotsCompleted: 2 };
  tell("Backup", "b", {
    metadata: labelled,
    status: { phase: "Completed", progress: { totalItems: 7 }, ...numbers, ...snapshots },
  });
  tell("Backup", "bad", {});
  tell("Backup", "bad", { status: { phase: "FailedValidation" } });
  expect(Object.fromEntries(read().samples)).toMatchObject({
    velero_backup_total: 3,
    [`velero_backup_attempt_total${nightly}`]: 1,
    [`velero_backup_success_total${nightly}`]: 1,
    [`velero_backup_duration_seconds_sum${nightly}`]: 90,
    'velero_backup_duration_seconds_bucket{schedule="nightly",le="300"}': 1,
    [`velero_backup_items_total${nightly}`]: 7,
    [`velero_backup_items_errors${nightly}`]: 3,
    [`velero_backup_warning_total${nightly}`]: 1,
    [`velero_volume_snapshot_failure_total${nightly}`]: 1,
    [`velero_backup_last_successful_timestamp${nightly}`]: Date.parse(at(100)) / 1000,
    'velero_backup_validation_failure_total{schedule=""}': 1,
    'velero_backup_attempt_total{schedule=""}': 0,
    'velero_backup_last_status{schedule=""}': 0,
  });
  gone("Backup", "b");
  expect(value(`velero_backup_last_successful_timestamp${nightly}`)).toBe(Date.parse(at(5)) / 1000);
});

test("VeleroMetrics forgets a schedule that is deleted", () => {
  const { metrics, tell, gone, read, value } = open();
  tell("Schedule", "nightly", { metadata: labelled, spec: {} });
  metrics.archived({ metadata: { name: "b", ...labelled } }, 99);
  expect(value(`velero_backup_tarball_size_bytes${nightly}`)).toBe(99);
  gone("Schedule", "nightly");
  expect([...read().samples.keys()].filter((key) => key.includes("nightly"))).toEqual([]);
});

test("VeleroMetrics counts restores, locations, deletions and maintenance", () => {
  const { tell, gone, value } = open();
  for (const phase of [undefined, "InProgress", "PartiallyFailed"]) {
    tell("Restore", "r", { spec: { scheduleName: "nightly" }, status: { phase } });
  }
  tell("Restore", "no");
  tell("Restore", "no", { status: { phase: "FailedValidation" } });
  expect(value(`velero_restore_attempt_total${nightly}`)).toBe(1);
  expect(value(`velero_restore_partial_failure_total${nightly}`)).toBe(1);
  expect(value('velero_restore_attempt_total{schedule=""}')).toBe(1);
  expect(value('velero_restore_validation_failed_total{schedule=""}')).toBe(1);

  const location = 'velero_backup_location_status_gauge{backup_location_name="default"}';
  tell("BackupStorageLocation", "default", {});
  expect(value(location)).toBeUndefined();
  tell("BackupStorageLocation", "default", { status: { phase: "Unavailable" } });
  expect(value(location)).toBe(0);
  gone("BackupStorageLocation", "default");
  expect(value(location)).toBeUndefined();

  tell("Backup", "b", { metadata: labelled });
  for (const status of [{}, { phase: "InProgress" }, { phase: "Processed", errors: ["x"] }]) {
    tell("DeleteBackupRequest", "d", { spec: { backupName: "b" }, status });
    if (status.phase === "InProgress") gone("Backup", "b"); // it may go before its request ends
  }
  expect(value(`velero_backup_deletion_attempt_total${nightly}`)).toBe(1);
  expect(value(`velero_backup_deletion_failure_total${nightly}`)).toBe(1);

  const run = (result: string, from: number) => ({
    result,
    startTimestamp: at(from),
    completeTimestamp: at(from + 30),
  });
  tell("BackupRepository", "repo", { status: { recentMaintenance: [run("Succeeded", 0)] } });
  tell("BackupRepository", "repo", {
    status: { recentMaintenance: [run("Succeeded", 0), run("Failed", 100), run("Succeeded", 200)] },
  });
  expect(value('velero_repo_maintenance_success_total{repository_name="repo"}')).toBe(1);
  expect(value('velero_repo_maintenance_failure_total{repository_name="repo"}')).toBe(1);
  expect(value('velero_repo_maintenance_duration_seconds_sum{repository_name="repo"}')).toBe(60);
});

test("VeleroMetrics tells what upstream's node agents would", () => {
  const { tell, value } = open();
  const spec = {
    node: "n1",
    backupStorageLocation: "default",
    pod: { namespace: "shop" },
    uploaderType: "kopia",
  };
  const metadata = { labels: { "velero.io/backup-name": "b" } };
  const times = { startTimestamp: at(0), completionTimestamp: at(42) };
  tell("PodVolumeBackup", "v", { spec, metadata });
  tell("PodVolumeBackup", "v", { spec, metadata, status: { phase: "InProgress" } });
  tell("PodVolumeBackup", "v", { spec, metadata, status: { phase: "Completed", ...times } });
  const labels =
    'node="n1",operation="v-default-shop-kopia-backup",backupName="velero/b",pod_volume_backup="v"';
  expect(value('podVolume_pod_volume_backup_enqueue_count{node="n1"}')).toBe(1);
  expect(value('podVolume_pod_volume_backup_dequeue_count{node="n1"}')).toBe(1);
  expect(value(`podVolume_pod_volume_operation_latency_seconds_gauge{${labels}}`)).toBe(42);
  expect(value(`podVolume_pod_volume_operation_latency_seconds_count{${labels}}`)).toBe(1);
  for (const phase of ["Prepared", "Failed"]) tell("DataUpload", "u", { status: { phase, node: "n2" } });
  expect(value('podVolume_data_upload_failure_total{node="n2"}')).toBe(1);
  for (const phase of ["InProgress", "Canceled"])
    tell("DataDownload", "d", { status: { phase, node: "n2" } });
  expect(value('podVolume_data_download_cancel_total{node="n2"}')).toBe(1);
});

test("VeleroMetrics keeps the times of a bounded number of copies and backups", () => {
  const { tell, read } = open();
  const times = { startTimestamp: at(0), completionTimestamp: at(1) };
  for (let i = 0; i < 300; i++) {
    tell("PodVolumeBackup", `v${i}`, { spec: { node: "n", pod: {} } });
    tell("PodVolumeBackup", `v${i}`, {
      spec: { node: "n", pod: {} },
      status: { phase: "Completed", ...times },
    });
    tell("Backup", `b${i}`, { status: { phase: "Completed", csiVolumeSnapshotsAttempted: 1, ...times } });
  }
  const of = (name: string) => [...read().samples.keys()].filter((key) => key.startsWith(name)).length;
  expect(of("podVolume_pod_volume_operation_latency_seconds_gauge")).toBe(200);
  expect(of("velero_csi_snapshot_failure_total")).toBe(201); // and the zero of no backup
});

test("every family that is described is told by somebody", () => {
  const { metrics, tell, read } = open();
  metrics.archived({ metadata: { name: "b" } }, 1);
  const spec = { schedule: "@daily", includedNamespaces: ["shop"] };
  tell("Schedule", "nightly", { metadata: labelled, spec });
  const times = { startTimestamp: at(0), completionTimestamp: at(1), csiVolumeSnapshotsAttempted: 1 };
  for (const phase of ["New", "InProgress", "Completed"]) {
    tell("Backup", "b", { metadata: labelled, spec, status: { phase, ...times } });
    tell("PodVolumeBackup", "v", { spec: { node: "n", pod: {} }, status: { phase, ...times } });
  }
  for (const [kind, phases] of Object.entries({
    DataUpload: ["Completed", "Failed", "Canceled"],
    DataDownload: ["Completed", "Failed", "Canceled"],
  })) {
    for (const phase of ["New", ...phases]) tell(kind, "one", { status: { phase } });
  }
  tell("BackupStorageLocation", "l", { status: { phase: "Available" } });
  const run = { result: "Failed", startTimestamp: at(0), completeTimestamp: at(1) };
  for (const recentMaintenance of [[], [run]])
    tell("BackupRepository", "r", { status: { recentMaintenance } });
  const running = anOperation("b", { startedAt: nowMs - 7_200_000, eta: { seconds: 9, low: 5, high: 20 } });
  const { types, samples } = read([running]);
  for (const { name, type } of [protectionFamilies, veleroFamilies, nodeFamilies].flatMap((one) =>
    Object.values(one),
  )) {
    expect(types.get(name), name).toBe(type);
  }
  expect(samples.get(`headway_schedule_window_ratio${nightly}`)).toBeCloseTo(7205 / 3600, 5);
  expect(new Set(allFamilies.map(({ name }) => name)).size).toBe(allFamilies.length);
});

const schedule = (name: string, more: object) =>
  ({
    apiVersion: "velero.io/v1",
    kind: "Schedule",
    metadata: { name, creationTimestamp: at(0) },
    ...more,
  }) as Schedule;

test("a schedule without a good backup is as old as itself; a paused one is left out", () => {
  const { metrics, value } = open();
  metrics.change(schedule("never", { spec: {} }), undefined);
  metrics.change(schedule("paused", { spec: { paused: true } }), undefined);
  expect(value('headway_schedule_without_success_seconds{schedule="never"}')).toBe(3600);
  expect(value('headway_schedule_without_success_seconds{schedule="paused"}')).toBeUndefined();
});

test("namespaces are told by name, all of them as one", () => {
  const { tell, read } = open();
  const done = { phase: "Completed", completionTimestamp: at(60) };
  tell("Backup", "a", { spec: { includedNamespaces: ["shop", "db-*"] }, status: done });
  tell("Backup", "b", { spec: {}, status: done });
  tell("Backup", "c", {
    spec: { includedNamespaces: ["other"] },
    status: { ...done, phase: "PartiallyFailed" },
  });
  const found = [...read().samples].filter(([key]) => key.startsWith("headway_namespace"));
  expect(found.map(([key]) => key.split("{")[1])).toEqual(['namespace="shop"}', 'namespace="*"}']);
});
