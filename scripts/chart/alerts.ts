const alert = (
  name: string,
  expr: string,
  wait: string,
  severity: "warning" | "critical",
  words: readonly [string, string],
) => ({
  alert: `Headway${name}`,
  expr,
  for: wait,
  labels: { severity },
  annotations: {
    summary: words[0],
    description: words[1],
    runbook: `docs/metrics.md#headway${name.toLowerCase()}`,
  },
});

const bad = 'headway_operations_ended_total{state=~"failed|partially-failed"}';

/** The alerts that matter, as Prometheus reads them. */
export const alerts = {
  groups: [
    {
      name: "headway",
      rules: [
        alert(
          "NoRecentBackup",
          "headway_schedule_without_success_seconds > 2 * velero_schedule_expected_interval_seconds",
          "15m",
          "critical",
          [
            "Schedule {{ $labels.schedule }} has no good backup for {{ $value | humanizeDuration }}",
            "More than two intervals have passed since its last completed backup, or since it was made. `headway get operations --kind backup` shows what became of the last ones.",
          ],
        ),
        alert(
          "OperationFailed",
          // A series that appears with its first failure has no increase yet: the second half sees it.
          `increase(${bad}[15m]) > 0 or (${bad} > 0 unless ${bad} offset 15m)`,
          "0m",
          "warning",
          [
            "A {{ $labels.kind }} ended {{ $labels.state }}",
            "`headway get operations --state failed,partially-failed` names it and tells why.",
          ],
        ),
        alert("OperationStalled", "headway_operation_stalled == 1", "15m", "warning", [
          "{{ $labels.kind }} {{ $labels.name }} stands still: {{ $labels.cause }}",
          "Nothing has moved for a quarter of an hour. `headway watch {{ $labels.kind }}/{{ $labels.name }}` tells what to do about the cause.",
        ]),
        alert("LocationUnavailable", "velero_backup_location_status_gauge == 0", "15m", "critical", [
          "Backup location {{ $labels.backup_location_name }} cannot be used",
          "No backup can be written there and none restored. `headway location get` tells why.",
        ]),
        alert("BackupDoesNotFit", "headway_schedule_window_ratio > 1", "5m", "warning", [
          "The running backup of {{ $labels.schedule }} takes longer than its interval",
          "Even at the quick end of what is told it ends after the next one is due, which then waits.",
        ]),
        alert(
          "PredictionsMiss",
          'sum(increase(headway_operation_predictions_total{held="true"}[7d])) / sum(increase(headway_operation_predictions_total[7d])) < 0.7 and sum(increase(headway_operation_predictions_total[7d])) >= 10',
          "1h",
          "warning",
          [
            "Told times hold in {{ $value | humanizePercentage }} of the runs of this week",
            "Ranges are made to hold in four of five runs. Something makes runs differ from earlier ones: a slower store, or volumes that grow.",
          ],
        ),
      ],
    },
  ],
};
