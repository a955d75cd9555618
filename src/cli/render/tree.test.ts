import { expect, test } from "vitest";
import type { Operation } from "../../progress/index.ts";
import { width } from "./text.ts";
import { treeLines } from "./tree.ts";

const ref = { apiVersion: "velero.io/v1", kind: "Backup", namespace: "velero", name: "nightly" };
function op(id: string, rest: Partial<Operation> = {}): Operation {
  return {
    id,
    ref,
    kind: "backup",
    title: id,
    state: "running",
    warnings: 0,
    errors: 0,
    children: [],
    ...rest,
  };
}

const volume = op("shop/db-0: data", {
  progress: { unit: "bytes", done: 512 * 2 ** 20, total: 2 ** 30, movedAt: 0 },
  fraction: 0.5,
  eta: { seconds: 40, low: 30, high: 60 },
});
const backup = op("Backup nightly", {
  fraction: 0.75,
  progress: { unit: "steps", done: 2, total: 3, movedAt: 0 },
  children: [
    op("collect", { state: "completed", fraction: 1, startedAt: 0, finishedAt: 2000 }),
    op("volumes", { fraction: 0.5, children: [volume, op("shop/web: cache", { state: "pending" })] }),
    op("upload", { state: "pending" }),
  ],
});

test("treeLines() draws the tree with bars, numbers and estimates", () => {
  expect(treeLines(backup, 10_000, { columns: 110, color: false })).toEqual([
    "Backup nightly        › [█████████████░░░░░]  75% 512 MiB of 1.0 GiB",
    "├─ collect            ✓ [██████████████████] 100% completed in 2s",
    "├─ volumes            › [█████████░░░░░░░░░]  50%",
    "│  ├─ shop/db-0: data › [█████████░░░░░░░░░]  50% 512 MiB of 1.0 GiB, about 40 s left (30 to 60 s)",
    "│  └─ shop/web: cache · [                  ]    –",
    "└─ upload             · [                  ]    –",
  ]);
});

test.each([40, 80, 200])("treeLines() stays within %d columns", (columns) => {
  const long = op(`${"日本".repeat(40)}`, { message: "m".repeat(500), children: [backup] });
  for (const line of treeLines(long, 0, { columns, color: false }))
    expect(width(line)).toBeLessThanOrEqual(columns);
});

test("treeLines() says a stall and what it waits for in plain words", () => {
  const lines = treeLines(
    op("restore", {
      children: [
        op("a", { stall: { since: 0, cause: "pod-pending" } }),
        op("b", { waitingFor: { reason: "pod", object: { apiVersion: "v1", kind: "Pod", name: "db-0" } } }),
        op("c", { state: "failed", errors: 2, message: "disk\x1b[2J full" }),
      ],
    }),
    61_000,
    { columns: 120, color: false },
  );
  expect(lines[1]).toContain("stalled for 1m 01s: the pod is pending");
  expect(lines[2]).toContain("waiting for Pod db-0");
  expect(lines[3]).toContain("failed, 2 errors: disk [2J full");
});

test("treeLines() leaves finished and waiting rows out when there is no room", () => {
  const lines = treeLines(backup, 0, { columns: 110, color: false, rows: 3 });
  expect(lines).toHaveLength(3);
  expect(lines.join("\n")).toContain("shop/db-0: data");
});

const named = op("headway-shop/database-94w7x: data", {
  progress: { unit: "bytes", done: 26.4 * 2 ** 20, total: 60 * 2 ** 20, movedAt: 0 },
  fraction: 0.44,
  eta: { seconds: 11, low: 9, high: 14 },
});
const rates = { of: () => ({ perSecond: 3 * 2 ** 20, unit: "bytes" as const }) };

test.each([
  [130, "26.4 MiB of 60.0 MiB, 3.0 MiB/s, about 11 s left (9 to 14 s)"],
  [110, "26.4 of 60.0 MiB, 3.0 MiB/s, about 11 s left"],
  [80, "26.4 of 60.0 MiB, about 11 s left"],
  [60, "about 11 s left"],
])("in %d columns the estimate stays longest", (columns, facts) => {
  const [line = ""] = treeLines(named, 0, { columns, color: false, rates });
  expect(line.split("44% ")[1]).toBe(facts);
});

test("a rate is worth more than no estimate", () => {
  const [line = ""] = treeLines({ ...named, eta: { unknown: "too-early" } }, 0, {
    columns: 80,
    color: false,
    rates,
  });
  expect(line).toContain("44% 26.4 of 60.0 MiB, 3.0 MiB/s");
});

test("a wait is worth more than the numbers, and the end of a name stays", () => {
  const waiting = op("headway-shop/database-94w7x: data", {
    progress: { unit: "steps", done: 0, total: 2, movedAt: 0 },
    waitingFor: { reason: "server", message: "a server to take it up" },
  });
  const [line = ""] = treeLines(waiting, 0, { columns: 80, color: false });
  expect(line).toContain("waiting for a server to take it up");
  expect(line, "the workload tells more than the namespace").toMatch(/^database-94w7x: data /);
});

test("one stalled part of two is told on the first line and on its own, not on those between", () => {
  const stuck = op("db", {
    kind: "podvolumebackup",
    title: "shop/db: data",
    stall: { since: 0, cause: "pod-pending" },
  });
  const volumes = op("volumes", {
    kind: "volumes",
    eta: { unknown: "stalled" },
    children: [op("web"), stuck],
  });
  const lines = treeLines(op("Backup b", { children: [volumes] }), 61_000, { columns: 140, color: false });
  expect(lines[0]).toMatch(/‖.* shop\/db: data: stalled for 1m 01s: the pod is pending$/);
  expect(lines[1]).toMatch(/Volumes .*‖.* stalled$/);
  expect(lines[3]).toMatch(/shop\/db: data +‖.* stalled for 1m 01s: the pod is pending$/);
});

test.each(["failed", "canceled", "partially-failed"] as const)(
  "what %s has numbers and no percent",
  (state) => {
    const ended = op("b", {
      state,
      startedAt: 0,
      finishedAt: 3_000,
      fraction: 0.99,
      progress: { unit: "items", done: 412, total: 900, movedAt: 0 },
    });
    const [line = ""] = treeLines(ended, 0, { columns: 110, color: false });
    expect(line).not.toContain("%");
    expect(line).toMatch(/412 of 900 items, \w+( failed)? after 3s$/);
  },
);
