import { expect, test } from "vitest";
import { advanced, failedWith, isOverdue, observed } from "./operation.ts";

const created = "2026-01-01T00:00:00Z";
const begun = { phase: "New", created } as const;
const started = "2026-01-01T00:00:05Z";

test("advanced() goes from New to InProgress with a start, and to an end when the plugin says so", () => {
  expect(advanced(begun, { completed: false })).toEqual(begun);
  const running = advanced(begun, { completed: false, started, nCompleted: 3, nTotal: 10, units: "chunks" });
  expect(running).toEqual({
    ...begun,
    phase: "InProgress",
    started,
    nCompleted: 3,
    nTotal: 10,
    operationUnits: "chunks",
  });
  expect(advanced(running, { completed: true })).toEqual({ ...running, phase: "Completed" });
  expect(advanced(running, { completed: true, error: "x" })).toEqual({
    ...running,
    phase: "Failed",
    error: "x",
  });
  expect(advanced(running, { completed: false, error: "x" }).phase, "an error counts at the end only").toBe(
    "InProgress",
  );
});

test.each([-1, Number.NaN, 1.5, 2 ** 60])(
  "advanced() passes over %s, which is no number of anything",
  (odd) => {
    const before = { ...begun, nCompleted: 3, nTotal: 10 };
    expect(advanced(before, { completed: false, nCompleted: odd, nTotal: odd })).toEqual(before);
  },
);

test("isOverdue() counts from the beginning, and knows nothing without one", () => {
  const at = Date.parse(created);
  expect([at + 1000, at + 1001].map((now) => isOverdue(begun, 1000, now))).toEqual([false, true]);
  expect(isOverdue({ phase: "New" }, 1000, at)).toBe(false);
});

const owner = { apiVersion: "velero.io/v1", kind: "Backup", name: "b" };
const item = { Group: "apps", Resource: "deployments", Namespace: "shop", Name: "web" };
const seen = (status: Parameters<typeof observed>[0]["status"], heardAt?: number) =>
  observed({ action: "example.com/a", item, status, owner }, heardAt);

test("observed() is a part of the tree with the plugin's numbers and words", () => {
  const status = {
    ...begun,
    phase: "InProgress",
    started,
    nCompleted: 3,
    nTotal: 10,
    operationUnits: "chunks",
    description: "copying",
  } as const;
  expect(seen(status, 7)).toMatchObject({
    id: "example.com/a deployments.apps shop/web",
    kind: "itemoperation",
    state: "running",
    progress: { unit: "items", done: 3, total: 10 },
    message: "copying, 3 of 10 chunks",
    startedAt: Date.parse(started),
    signals: { heartbeatAt: 7 },
  });
  expect(seen({ ...status, operationUnits: "Bytes" })).toMatchObject({
    progress: { unit: "bytes" },
    message: "copying",
  });
  expect(seen(begun)).toMatchObject({
    waitingFor: { reason: "plugin", message: "plugin example.com/a to begin" },
  });
});

test("observed() ends as the operation does, with the reason", () => {
  expect(seen(failedWith(begun, "why"), 9)).toMatchObject({ state: "failed", message: "why", finishedAt: 9 });
  expect(seen({ ...begun, phase: "Completed", updated: started })).toMatchObject({
    state: "completed",
    finishedAt: Date.parse(started),
  });
  expect(seen({ ...begun, phase: "Canceled" })).toMatchObject({ state: "canceled" });
});
