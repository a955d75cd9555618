import { EventEmitter } from "node:events";
import { expect, test } from "vitest";
import { guardProcess } from "../../packages/wire/index.ts";
import { readExposition as parse } from "../../test/harness/exposition.ts";
import { anOperation, FakeObserver } from "../../test/harness/fake-observer.ts";
import { measure, rateOf } from "../progress/index.ts";
import { Histogram } from "./exposition.ts";
import { Metrics } from "./metrics.ts";

function open() {
  let now = 1_000_000;
  const observer = new FakeObserver();
  const metrics = new Metrics(observer, () => now);
  return { observer, metrics, pass: (ms: number) => (now += ms), now: () => now };
}

const live = '{kind="backup",namespace="velero",name="b"}';

test("Metrics shows what runs, and forgets it when it has ended", () => {
  const { observer, metrics, pass, now } = open();
  const bytes = (done: number) => ({
    startedAt: 1_000_000,
    fraction: done / 1000,
    eta: { seconds: 10, low: 8, high: 13 },
    children: [
      anOperation("v", {
        progress: { unit: "bytes" as const, done, total: 1000, movedAt: 0 },
        stall: { since: 1, cause: "agent-missing" as const },
      }),
    ],
  });
  observer.set(anOperation("b", bytes(0)));
  pass(10_000);
  observer.set(anOperation("b", bytes(600)));
  const { samples, types } = parse(metrics.text());
  expect(Object.fromEntries(samples)).toMatchObject({
    'headway_operations{kind="backup",state="running"}': 1,
    [`headway_operation_progress_ratio${live}`]: 0.6,
    [`headway_operation_done_bytes${live}`]: 600,
    [`headway_operation_expected_bytes${live}`]: 1000,
    [`headway_operation_bytes_per_second${live}`]: 60,
    [`headway_operation_eta_low_seconds${live}`]: 8,
    [`headway_operation_eta_high_seconds${live}`]: 13,
    'headway_operation_stalled{kind="backup",namespace="velero",name="b",cause="agent-missing"}': 1,
  });
  expect(types.get("headway_operation_eta_seconds")).toBe("gauge");
  pass(12_000);
  observer.set(anOperation("b", { state: "completed", startedAt: 1_000_000, finishedAt: now() }));
  const after = parse(metrics.text()).samples;
  expect([...after.keys()].filter((key) => key.includes('name="b"'))).toEqual([]);
  expect(after.get('headway_operations_ended_total{kind="backup",state="completed"}')).toBe(1);
  expect(
    after.get('headway_operation_duration_seconds_bucket{kind="backup",state="completed",le="60"}'),
  ).toBe(1);
  expect(
    after.get('headway_operation_duration_seconds_bucket{kind="backup",state="completed",le="15"}'),
  ).toBe(0);
  expect(after.get('headway_operation_duration_seconds_sum{kind="backup",state="completed"}')).toBe(22);
  // At half, 10 s had passed and 10 more were told; it took 22, within the 18 to 23 of the range.
  expect(after.get('headway_operation_predicted_duration_ratio_sum{kind="backup"}')).toBeCloseTo(20 / 22, 9);
  expect(after.get('headway_operation_predictions_total{kind="backup",held="true"}')).toBe(1);
});

test("Metrics tells the rate that every other view tells", () => {
  const { observer, metrics, pass, now } = open();
  let meter: ReturnType<typeof measure>;
  // An agent that reports every ten seconds, and not evenly.
  for (const done of [0, 4_000_000, 5_000_000, 12_000_000]) {
    const b = anOperation("b", {
      children: [anOperation("v", { progress: { unit: "bytes", done, total: 2e7, movedAt: 0 } })],
    });
    observer.set(b);
    meter = measure(meter, b, now());
    pass(10_000);
  }
  const shown = parse(metrics.text()).samples.get(`headway_operation_bytes_per_second${live}`);
  expect(shown).toBeCloseTo(rateOf(meter, now()) ?? 0, 6);
  expect(shown).toBeGreaterThan(0);
});

test("Metrics tells a stalled part of what has not begun, once for each cause", () => {
  const { observer, metrics } = open();
  const part = (name: string) =>
    anOperation(name, { state: "pending", stall: { since: 1, cause: "agent-missing" } });
  observer.set(anOperation("b", { state: "pending", children: [part("v"), part("w")] }));
  const stalled = [...parse(metrics.text()).samples].filter(([name]) =>
    name.startsWith("headway_operation_stalled"),
  );
  expect(stalled).toEqual([[expect.stringContaining('cause="agent-missing"'), 1]]);
});

const ofOperations = (metrics: Metrics) =>
  new Map([...parse(metrics.text()).samples].filter(([name]) => name.startsWith("headway_operation")));

test("Metrics counts errors that nobody handled, from zero", () => {
  const { metrics } = open();
  const names = ["rejection", "exception"].map((kind) => `headway_unhandled_errors_total{kind="${kind}"}`);
  expect(names.map((name) => parse(metrics.text()).samples.get(name))).toEqual([0, 0]);
  const host = Object.assign(new EventEmitter(), { exit: () => undefined });
  const guard = guardProcess(host, () => undefined, new AbortController().signal);
  host.emit("unhandledRejection", new Error("nobody awaited"));
  expect(names.map((name) => parse(metrics.text()).samples.get(name))).toEqual([1, 0]);
  guard.close();
  metrics.close();
});

test("Metrics does not count again what was over before", () => {
  const observer = new FakeObserver();
  observer.set(anOperation("b", { state: "completed", startedAt: 1, finishedAt: 2 }));
  const metrics = new Metrics(observer, () => 5);
  observer.set(anOperation("b", { state: "completed", startedAt: 1, finishedAt: 2 }));
  expect(ofOperations(metrics).size).toBe(1);
  metrics.close();
});

test("Metrics says nothing about what is not known, and survives odd names", () => {
  const { observer, metrics } = open();
  expect(ofOperations(metrics).size).toBe(0);
  observer.set(anOperation('o"d\\d\nname', { fraction: 0.5, eta: { unknown: "counting" } }));
  expect([...ofOperations(metrics).keys()]).toEqual([
    'headway_operations{kind="backup",state="running"}',
    'headway_operation_progress_ratio{kind="backup",namespace="velero",name="o\\"d\\\\d\\nname"}',
  ]);
});

test("Metrics shows at most a thousand live operations", () => {
  const { observer, metrics } = open();
  for (let i = 0; i < 1_200; i++) observer.set(anOperation(`b${i}`, { fraction: 0 }));
  const { samples } = parse(metrics.text());
  expect(samples.get('headway_operations{kind="backup",state="running"}')).toBe(1_200);
  expect(
    [...samples.keys()].filter((key) => key.startsWith("headway_operation_progress_ratio")),
  ).toHaveLength(1_000);
});

test("Histogram counts cumulatively, with a last bucket for everything", () => {
  const histogram = new Histogram({
    name: "h",
    type: "histogram",
    labels: [],
    help: "help",
    buckets: [1, 2],
  });
  for (const value of [0.5, 1, 1.5, 9]) histogram.observe({}, value);
  const { samples } = parse(histogram.text());
  expect(Object.fromEntries(samples)).toEqual({
    'h_bucket{le="1"}': 2,
    'h_bucket{le="2"}': 3,
    'h_bucket{le="+Inf"}': 4,
    h_sum: 12,
    h_count: 4,
  });
});

test("Metrics counts what began and ended between two looks, once, and nothing that was over before", () => {
  const observer = Object.assign(new FakeObserver(), {
    object: (id: string) => ({
      apiVersion: "velero.io/v1" as const,
      kind: "Backup" as const,
      metadata: { name: id, creationTimestamp: new Date(id.endsWith("/old") ? 1_000 : 9_000).toISOString() },
    }),
  });
  const metrics = new Metrics(observer, () => 5_000);
  for (const id of ["old", "refused", "refused"]) observer.set(anOperation(id, { state: "failed" }));
  // One from a bucket: it ran before it was made here.
  observer.set(anOperation("imported", { state: "failed", startedAt: 2_000 }));
  expect(
    parse(metrics.text()).samples.get('headway_operations_ended_total{kind="backup",state="failed"}'),
  ).toBe(1);
});
