/** A metric: its name, what it counts, and by what. Buckets make it a histogram. */
export interface Family {
  readonly name: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly labels: readonly string[];
  readonly help: string;
  readonly buckets?: readonly number[];
}

const gauge = (name: string, labels: readonly string[], help: string): Family => ({
  name,
  type: "gauge",
  labels,
  help,
});
const counter = (name: string, labels: readonly string[], help: string): Family => ({
  ...gauge(name, labels, help),
  type: "counter",
});
const histogram = (
  name: string,
  labels: readonly string[],
  help: string,
  buckets: readonly number[],
): Family => ({ ...gauge(name, labels, help), type: "histogram", buckets });

const live = ["kind", "namespace", "name"];
const durations = [1, 5, 15, 60, 300, 900, 3_600, 3 * 3_600, 12 * 3_600];
const ratios = [0.25, 0.5, 0.8, 0.9, 1, 1.1, 1.25, 2, 4];

/** Of every program that watches a cluster. */
export const ownFamilies = {
  operations: gauge(
    "headway_operations",
    ["kind", "state"],
    "Operations that the cluster holds, by kind and state",
  ),
  ratio: gauge("headway_operation_progress_ratio", live, "Share that is done, 0 to 1"),
  done: gauge("headway_operation_done_bytes", live, "Bytes that are done"),
  expected: gauge("headway_operation_expected_bytes", live, "Bytes to do, as far as known"),
  rate: gauge(
    "headway_operation_bytes_per_second",
    live,
    "Bytes a second over the last half minute, as every view shows it",
  ),
  eta: gauge("headway_operation_eta_seconds", live, "Seconds left, where that can be said"),
  etaLow: gauge("headway_operation_eta_low_seconds", live, "Lower end of the range of seconds left"),
  etaHigh: gauge("headway_operation_eta_high_seconds", live, "Upper end of the range of seconds left"),
  stalled: gauge(
    "headway_operation_stalled",
    [...live, "cause"],
    "1 while an operation or a part of it stands still, by cause",
  ),
  ended: counter("headway_operations_ended_total", ["kind", "state"], "Operations that ended"),
  durations: histogram(
    "headway_operation_duration_seconds",
    ["kind", "state"],
    "How long operations took from start to end",
    durations,
  ),
  predicted: histogram(
    "headway_operation_predicted_duration_ratio",
    ["kind"],
    "Duration told when half was done, divided by the real one",
    ratios,
  ),
  predictions: counter(
    "headway_operation_predictions_total",
    ["kind", "held"],
    "Operations by whether the range told when half was done held",
  ),
  unhandled: counter(
    "headway_unhandled_errors_total",
    ["kind"],
    "Errors of this process that nobody handled, each of them a fault of the program",
  ),
} as const;

/** Of an operator that leads: how well a schedule and a namespace are protected. */
export const protectionFamilies = {
  withoutSuccess: gauge(
    "headway_schedule_without_success_seconds",
    ["schedule"],
    "Seconds since the last completed backup of a schedule, or since it was made where there is none; paused ones are left out",
  ),
  lastOfNamespace: gauge(
    "headway_namespace_last_success_timestamp_seconds",
    ["namespace"],
    "When the newest completed backup that names the namespace ended; * stands for backups of all namespaces",
  ),
  windowRatio: gauge(
    "headway_schedule_window_ratio",
    ["schedule"],
    "Least time that the running backup of a schedule will have taken, as a share of the schedule's interval",
  ),
} as const;

/** Of an operator that leads: what rehearsals proved, by the namespace as the backup has it. */
export const drillFamilies = {
  lastProved: gauge(
    "headway_drill_last_proved_timestamp_seconds",
    ["namespace"],
    "When a rehearsal last proved that the namespace can be restored",
  ),
  rto: gauge(
    "headway_drill_rto_seconds",
    ["namespace"],
    "How long recovery took in the last rehearsal that proved it",
  ),
  rpo: gauge(
    "headway_drill_rpo_seconds",
    ["namespace"],
    "How old the data was at the start of the last rehearsal that proved it",
  ),
  volumes: gauge("headway_drill_volumes", ["namespace"], "Volumes of the backup that was last proved"),
  volumesProved: gauge(
    "headway_drill_volumes_proved",
    ["namespace"],
    "Of these, the ones that came back whole",
  ),
  failed: gauge("headway_drill_failed", ["namespace"], "1 when the last rehearsal of the namespace failed"),
} as const;

const schedule = ["schedule"];
const hours = [60, 300, 600, 900, 1_800, 3_600, 7_200, 10_800, 14_400];

/** Upstream's names, labels and meaning: boards and alerts made for Velero go on. Counters begin at zero with the process. */
export const veleroFamilies = {
  backups: gauge("velero_backup_total", [], "Backups that there are"),
  attempts: counter("velero_backup_attempt_total", schedule, "Backups that began"),
  successes: counter("velero_backup_success_total", schedule, "Backups that completed"),
  partials: counter("velero_backup_partial_failure_total", schedule, "Backups that failed in part"),
  failures: counter("velero_backup_failure_total", schedule, "Backups that failed"),
  invalid: counter("velero_backup_validation_failure_total", schedule, "Backups that were refused"),
  backupDurations: histogram("velero_backup_duration_seconds", schedule, "How long backups took", hours),
  archives: gauge("velero_backup_tarball_size_bytes", schedule, "Bytes of the archive of the last backup"),
  items: gauge("velero_backup_items_total", schedule, "Items of the last backup"),
  itemErrors: gauge("velero_backup_items_errors", schedule, "Errors of the last backup"),
  warned: counter("velero_backup_warning_total", schedule, "Backups with warnings"),
  lastStatus: gauge(
    "velero_backup_last_status",
    schedule,
    "1 when the last backup completed, 0 when it did not",
  ),
  lastSuccess: gauge(
    "velero_backup_last_successful_timestamp",
    schedule,
    "When the newest completed backup ended, in seconds",
  ),
  deletionAttempts: counter(
    "velero_backup_deletion_attempt_total",
    schedule,
    "Deletions of backups that began",
  ),
  deletionSuccesses: counter(
    "velero_backup_deletion_success_total",
    schedule,
    "Deletions of backups that ended well",
  ),
  deletionFailures: counter(
    "velero_backup_deletion_failure_total",
    schedule,
    "Deletions of backups with errors",
  ),
  locations: gauge(
    "velero_backup_location_status_gauge",
    ["backup_location_name"],
    "1 when a location can be used, 0 when not",
  ),
  restores: gauge("velero_restore_total", [], "Restores that there are"),
  restoreAttempts: counter("velero_restore_attempt_total", schedule, "Restores that began or were refused"),
  restoreSuccesses: counter("velero_restore_success_total", schedule, "Restores that completed"),
  restorePartials: counter("velero_restore_partial_failure_total", schedule, "Restores that failed in part"),
  restoreFailures: counter("velero_restore_failed_total", schedule, "Restores that failed"),
  restoreInvalid: counter("velero_restore_validation_failed_total", schedule, "Restores that were refused"),
  snapshotAttempts: counter("velero_volume_snapshot_attempt_total", schedule, "Native snapshots that began"),
  snapshotSuccesses: counter(
    "velero_volume_snapshot_success_total",
    schedule,
    "Native snapshots that ended well",
  ),
  snapshotFailures: counter("velero_volume_snapshot_failure_total", schedule, "Native snapshots that failed"),
  csiAttempts: counter(
    "velero_csi_snapshot_attempt_total",
    ["schedule", "backupName"],
    "CSI snapshots that began",
  ),
  csiSuccesses: counter(
    "velero_csi_snapshot_success_total",
    ["schedule", "backupName"],
    "CSI snapshots that ended well",
  ),
  csiFailures: counter(
    "velero_csi_snapshot_failure_total",
    ["schedule", "backupName"],
    "CSI snapshots that failed",
  ),
  interval: gauge(
    "velero_schedule_expected_interval_seconds",
    schedule,
    "Seconds between the next two backups of a schedule",
  ),
  maintenanceSuccesses: counter(
    "velero_repo_maintenance_success_total",
    ["repository_name"],
    "Maintenance runs of repositories that ended well",
  ),
  maintenanceFailures: counter(
    "velero_repo_maintenance_failure_total",
    ["repository_name"],
    "Maintenance runs of repositories that failed",
  ),
  maintenanceDurations: histogram(
    "velero_repo_maintenance_duration_seconds",
    ["repository_name"],
    "How long maintenance runs took",
    hours,
  ),
} as const;

const copied = ["node", "operation", "backupName", "pod_volume_backup"];

/** Of upstream's node agents; here the operator tells them for all nodes. */
export const nodeFamilies = {
  enqueued: counter(
    "podVolume_pod_volume_backup_enqueue_count",
    ["node"],
    "Volume copies that began on a node",
  ),
  dequeued: counter(
    "podVolume_pod_volume_backup_dequeue_count",
    ["node"],
    "Volume copies that completed on a node",
  ),
  latency: histogram(
    "podVolume_pod_volume_operation_latency_seconds",
    copied,
    "How long volume copies took",
    hours,
  ),
  latencyGauge: gauge(
    "podVolume_pod_volume_operation_latency_seconds_gauge",
    copied,
    "How long a volume copy took",
  ),
  uploadSuccesses: counter(
    "podVolume_data_upload_success_total",
    ["node"],
    "Uploads of snapshots that completed",
  ),
  uploadFailures: counter(
    "podVolume_data_upload_failure_total",
    ["node"],
    "Uploads of snapshots that failed",
  ),
  uploadCancels: counter(
    "podVolume_data_upload_cancel_total",
    ["node"],
    "Uploads of snapshots that were canceled",
  ),
  downloadSuccesses: counter("podVolume_data_download_success_total", ["node"], "Downloads that completed"),
  downloadFailures: counter("podVolume_data_download_failure_total", ["node"], "Downloads that failed"),
  downloadCancels: counter("podVolume_data_download_cancel_total", ["node"], "Downloads that were canceled"),
} as const;

/** All of them, in the order of the page and of its reference. */
export const allFamilies: readonly Family[] = [
  ...Object.values(ownFamilies),
  ...Object.values(protectionFamilies),
  ...Object.values(drillFamilies),
  ...Object.values(veleroFamilies),
  ...Object.values(nodeFamilies),
];
