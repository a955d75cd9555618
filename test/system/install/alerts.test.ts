// The alerts as Prometheus itself judges them, from series as the program writes them.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { stringify } from "yaml";
import { alerts } from "../../../scripts/chart/alerts.ts";
import { findPart } from "../../harness/parts.ts";

const found = findPart("promtool", "HEADWAY_PROMTOOL");
const why = "missing" in found ? ` (skipped: ${found.missing})` : "";
const folder = mkdtempSync(join(tmpdir(), "headway-alerts-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Case {
  readonly alert: string;
  readonly fires: boolean;
  readonly at: string;
  readonly interval?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly series: Readonly<Record<string, string>>;
}

const stalled = '{kind="backup",namespace="velero",name="b",cause="agent-missing"}';
const ended = (state: string) => `headway_operations_ended_total{kind="backup",state="${state}"}`;
const held = (is: boolean) => `headway_operation_predictions_total{kind="backup",held="${is}"}`;

const cases: readonly Case[] = [
  {
    alert: "NoRecentBackup",
    fires: true,
    at: "20m",
    labels: { schedule: "nightly" },
    series: {
      'headway_schedule_without_success_seconds{schedule="nightly"}': "180000+60x30",
      'velero_schedule_expected_interval_seconds{schedule="nightly"}': "86400x30",
    },
  },
  {
    alert: "NoRecentBackup",
    fires: false,
    at: "20m",
    series: {
      'headway_schedule_without_success_seconds{schedule="nightly"}': "90000+60x30",
      'velero_schedule_expected_interval_seconds{schedule="nightly"}': "86400x30",
    },
  },
  {
    alert: "OperationFailed",
    fires: true,
    at: "5m",
    labels: { kind: "backup", state: "failed" },
    series: { [ended("failed")]: "_ _ 1x20" },
  },
  {
    alert: "OperationFailed",
    fires: true,
    at: "40m",
    labels: { kind: "backup", state: "partially-failed" },
    series: { [ended("partially-failed")]: "1x35 2x20" },
  },
  {
    alert: "OperationFailed",
    fires: false,
    at: "40m",
    series: { [ended("failed")]: "1x60", [ended("completed")]: "0+1x60" },
  },
  {
    alert: "OperationStalled",
    fires: true,
    at: "20m",
    labels: { kind: "backup", namespace: "velero", name: "b", cause: "agent-missing" },
    series: { [`headway_operation_stalled${stalled}`]: "1x30" },
  },
  {
    alert: "OperationStalled",
    fires: false,
    at: "14m",
    series: { [`headway_operation_stalled${stalled}`]: "1x30" },
  },
  {
    alert: "LocationUnavailable",
    fires: true,
    at: "20m",
    labels: { backup_location_name: "default" },
    series: { 'velero_backup_location_status_gauge{backup_location_name="default"}': "0x30" },
  },
  {
    alert: "LocationUnavailable",
    fires: false,
    at: "20m",
    series: { 'velero_backup_location_status_gauge{backup_location_name="default"}': "0x5 1x30" },
  },
  {
    alert: "BackupDoesNotFit",
    fires: true,
    at: "10m",
    labels: { schedule: "hourly" },
    series: { 'headway_schedule_window_ratio{schedule="hourly"}': "1.2x20" },
  },
  {
    alert: "BackupDoesNotFit",
    fires: false,
    at: "10m",
    series: { 'headway_schedule_window_ratio{schedule="hourly"}': "0.9x20" },
  },
  {
    alert: "PredictionsMiss",
    fires: true,
    at: "48h",
    interval: "1h",
    labels: {},
    series: { [held(true)]: "0+1x60", [held(false)]: "0+1x60" },
  },
  {
    alert: "PredictionsMiss",
    fires: false,
    at: "48h",
    interval: "1h",
    series: { [held(true)]: "0+4x60", [held(false)]: "0+1x60" },
  },
];

test("every alert is shown to fire and to keep still", () => {
  for (const { alert } of alerts.groups.flatMap(({ rules }) => rules)) {
    const of = cases.filter((one) => `Headway${one.alert}` === alert).map(({ fires }) => fires);
    expect([of.includes(true), of.includes(false)], alert).toEqual([true, true]);
  }
});

test.skipIf("missing" in found)(`promtool agrees about every alert${why}`, () => {
  const [whole, bare] = ["alerts.yaml", "bare.yaml"].map((name) => join(folder, name));
  writeFileSync(whole ?? "", stringify(alerts));
  // Whether an alert is there is judged, and not its words, which have numbers in them.
  const groups = alerts.groups.map(({ name, rules }) => ({
    name,
    rules: rules.map(({ annotations: _words, ...rule }) => rule),
  }));
  writeFileSync(bare ?? "", stringify({ groups }));
  const tests = cases.map((one) => ({
    interval: one.interval ?? "1m",
    input_series: Object.entries(one.series).map(([series, values]) => ({ series, values })),
    alert_rule_test: [
      {
        eval_time: one.at,
        alertname: `Headway${one.alert}`,
        exp_alerts: one.fires ? [{ exp_labels: { ...one.labels, severity: severityOf(one.alert) } }] : [],
      },
    ],
  }));
  const file = join(folder, "tests.yaml");
  writeFileSync(file, stringify({ rule_files: [bare], tests }));
  const program = "program" in found ? found.program : "";
  for (const args of [
    ["check", "rules", whole ?? ""],
    ["test", "rules", file],
  ]) {
    const said = spawnSync(program, args, { encoding: "utf8" });
    expect(said.status, said.stdout + said.stderr).toBe(0);
  }
});

function severityOf(alert: string): string {
  const rule = alerts.groups.flatMap(({ rules }) => rules).find((one) => one.alert === `Headway${alert}`);
  return rule?.labels.severity ?? "";
}
