interface Place {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}
interface Target {
  readonly expr: string;
  readonly legend?: string;
}

const source = { type: "prometheus", uid: "${datasource}" };
let last = 0;

function panel(
  title: string,
  type: string,
  place: Place,
  targets: readonly Target[],
  unit: string,
  more: object = {},
) {
  last += 1;
  return {
    id: last,
    title,
    type,
    datasource: source,
    gridPos: place,
    fieldConfig: { defaults: { unit, ...(more as { defaults?: object }).defaults }, overrides: [] },
    options: (more as { options?: object }).options ?? {},
    targets: targets.map(({ expr, legend }, i) => ({
      refId: String.fromCharCode(65 + i),
      datasource: source,
      expr,
      ...(legend !== undefined && { legendFormat: legend }),
      ...(type === "table" && { format: "table", instant: true }),
    })),
  };
}

const at = (x: number, y: number, w: number, h: number): Place => ({ x, y, w, h });
const lines = {
  defaults: { custom: { lineWidth: 2, fillOpacity: 10 } },
  options: { legend: { displayMode: "list" } },
};
const steps = (...colors: readonly (readonly [number | null, string])[]) => ({
  defaults: { thresholds: { mode: "absolute", steps: colors.map(([value, color]) => ({ value, color })) } },
});
const operation = "{{kind}} {{name}}";

/** The board: what is protected, what runs, what was told and whether it held. Grafana 9 and newer read it. */
export const dashboard = {
  uid: "headway",
  title: "Headway",
  description: "Backups, restores, actions and migrations: what is protected, what runs, what was told",
  tags: ["backup", "kubernetes"],
  schemaVersion: 39,
  version: 1,
  editable: true,
  refresh: "30s",
  time: { from: "now-24h", to: "now" },
  templating: {
    list: [
      {
        name: "datasource",
        label: "Data source",
        type: "datasource",
        query: "prometheus",
        current: {},
        hide: 0,
      },
      {
        name: "kind",
        label: "Kind",
        type: "query",
        datasource: source,
        query: { query: "label_values(headway_operations, kind)", refId: "kind" },
        refresh: 2,
        includeAll: true,
        multi: true,
        current: { text: "All", value: "$__all" },
        allValue: ".*",
      },
    ],
  },
  annotations: { list: [] },
  panels: [
    panel(
      "Running",
      "stat",
      at(0, 0, 4, 4),
      [{ expr: 'sum(headway_operations{state="running",kind=~"$kind"}) or vector(0)' }],
      "short",
    ),
    panel(
      "Stalled",
      "stat",
      at(4, 0, 4, 4),
      [{ expr: 'count(headway_operation_stalled{kind=~"$kind"} == 1) or vector(0)' }],
      "short",
      steps([null, "green"], [1, "red"]),
    ),
    panel(
      "Failed in a day",
      "stat",
      at(8, 0, 4, 4),
      [
        {
          expr: 'sum(increase(headway_operations_ended_total{state=~"failed|partially-failed",kind=~"$kind"}[1d])) or vector(0)',
        },
      ],
      "short",
      steps([null, "green"], [1, "orange"]),
    ),
    panel(
      "Oldest schedule without a good backup",
      "stat",
      at(12, 0, 6, 4),
      [{ expr: "max(headway_schedule_without_success_seconds)" }],
      "s",
      steps([null, "green"], [93_600, "orange"], [180_000, "red"]),
    ),
    panel(
      "Locations that can be used",
      "stat",
      at(18, 0, 6, 4),
      [{ expr: "velero_backup_location_status_gauge", legend: "{{backup_location_name}}" }],
      "short",
      steps([null, "red"], [1, "green"]),
    ),
    panel(
      "How far each one is",
      "bargauge",
      at(0, 4, 12, 8),
      [{ expr: 'headway_operation_progress_ratio{kind=~"$kind"}', legend: operation }],
      "percentunit",
      { defaults: { min: 0, max: 1 }, options: { orientation: "horizontal", displayMode: "gradient" } },
    ),
    panel(
      "Seconds left, with the range",
      "timeseries",
      at(12, 4, 12, 8),
      [
        { expr: 'headway_operation_eta_seconds{kind=~"$kind"}', legend: operation },
        { expr: 'headway_operation_eta_low_seconds{kind=~"$kind"}', legend: `${operation} at least` },
        { expr: 'headway_operation_eta_high_seconds{kind=~"$kind"}', legend: `${operation} at most` },
      ],
      "s",
      lines,
    ),
    panel(
      "Bytes a second",
      "timeseries",
      at(0, 12, 12, 8),
      [{ expr: 'headway_operation_bytes_per_second{kind=~"$kind"}', legend: operation }],
      "Bps",
      lines,
    ),
    panel(
      "Bytes done and expected",
      "timeseries",
      at(12, 12, 12, 8),
      [
        { expr: 'headway_operation_done_bytes{kind=~"$kind"}', legend: operation },
        { expr: 'headway_operation_expected_bytes{kind=~"$kind"}', legend: `${operation} expected` },
      ],
      "bytes",
      lines,
    ),
    panel(
      "What stands still, and why",
      "table",
      at(0, 20, 12, 7),
      [{ expr: "headway_operation_stalled == 1" }],
      "short",
    ),
    panel(
      "Age of the last good backup, by schedule",
      "bargauge",
      at(12, 20, 12, 7),
      [{ expr: "headway_schedule_without_success_seconds", legend: "{{schedule}}" }],
      "s",
      {
        options: { orientation: "horizontal" },
        ...steps([null, "green"], [93_600, "orange"], [180_000, "red"]),
      },
    ),
    panel(
      "Ended in an hour",
      "timeseries",
      at(0, 27, 12, 8),
      [
        {
          expr: 'sum by (kind, state) (increase(headway_operations_ended_total{kind=~"$kind"}[1h]))',
          legend: "{{kind}} {{state}}",
        },
      ],
      "short",
      lines,
    ),
    panel(
      "Duration of nine in ten",
      "timeseries",
      at(12, 27, 12, 8),
      [
        {
          expr: 'histogram_quantile(0.9, sum by (le, kind) (rate(headway_operation_duration_seconds_bucket{kind=~"$kind"}[1d])))',
          legend: "{{kind}}",
        },
      ],
      "s",
      lines,
    ),
    panel(
      "Told ranges that held, in a week",
      "stat",
      at(0, 35, 8, 6),
      [
        {
          expr: 'sum(increase(headway_operation_predictions_total{held="true"}[7d])) / sum(increase(headway_operation_predictions_total[7d]))',
        },
      ],
      "percentunit",
      steps([null, "red"], [0.7, "orange"], [0.8, "green"]),
    ),
    panel(
      "Told duration over real one (median)",
      "timeseries",
      at(8, 35, 8, 6),
      [
        {
          expr: "histogram_quantile(0.5, sum by (le, kind) (rate(headway_operation_predicted_duration_ratio_bucket[7d])))",
          legend: "{{kind}}",
        },
      ],
      "percentunit",
      lines,
    ),
    panel(
      "Share of its interval that a running backup takes",
      "bargauge",
      at(16, 35, 8, 6),
      [{ expr: "headway_schedule_window_ratio", legend: "{{schedule}}" }],
      "percentunit",
      { options: { orientation: "horizontal" }, ...steps([null, "green"], [0.8, "orange"], [1, "red"]) },
    ),
  ],
};
