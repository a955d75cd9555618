import { expect, test } from "vitest";
import type { Operation } from "../../progress/index.ts";
import { conditionsOf } from "./operation-conditions.ts";

const base: Operation = {
  id: "b",
  ref: { apiVersion: "velero.io/v1", kind: "Backup", namespace: "velero", name: "b" },
  kind: "backup",
  title: "Backup b",
  state: "running",
  startedAt: Date.UTC(2026, 10, 17, 1),
  warnings: 0,
  errors: 0,
  children: [],
};
const finishedAt = Date.UTC(2026, 10, 17, 2);
const stall = { since: Date.UTC(2026, 10, 17, 1, 30), cause: "agent-missing" } as const;

test.each([
  [
    "pending",
    { state: "pending", startedAt: undefined },
    ["Reconciling=True Pending", "Ready=False Pending"],
  ],
  ["running", {}, ["Reconciling=True Running", "Ready=False Running"]],
  [
    "stalled",
    { children: [{ ...base, id: "v", stall }] },
    ["Stalled=True AgentMissing", "Ready=False Running"],
  ],
  ["completed", { state: "completed", finishedAt }, ["Complete=True Completed", "Ready=True Completed"]],
  ["skipped", { state: "skipped", finishedAt }, ["Complete=True Skipped", "Ready=True Skipped"]],
  [
    "failed",
    { state: "failed", finishedAt },
    ["Failed=True Failed", "Stalled=True Failed", "Ready=False Failed"],
  ],
  [
    "partly failed",
    { state: "partially-failed", finishedAt, stall },
    ["Failed=True PartiallyFailed", "Stalled=True PartiallyFailed", "Ready=False PartiallyFailed"],
  ],
  [
    "canceled",
    { state: "canceled", finishedAt },
    ["Failed=True Canceled", "Stalled=True Canceled", "Ready=False Canceled"],
  ],
] as const)("conditionsOf(): %s", (_, more, want) => {
  const found = conditionsOf({ ...base, ...more } as Operation);
  expect(found.map(({ type, status, reason }) => `${type}=${status} ${reason}`)).toEqual(want);
  for (const { reason, message } of found) {
    expect(reason).toMatch(/^[A-Za-z]+$/);
    expect(message).not.toBe("");
  }
});

test("conditionsOf() tells since when, as far as that is known", () => {
  const times = (more: object) =>
    conditionsOf({ ...base, ...more } as Operation).map(({ lastTransitionTime }) => lastTransitionTime);
  expect(times({})).toEqual(["2026-11-17T01:00:00Z", "2026-11-17T01:00:00Z"]);
  expect(times({ stall })).toEqual(["2026-11-17T01:30:00Z", "2026-11-17T01:00:00Z"]);
  expect(times({ state: "completed", finishedAt })).toEqual(["2026-11-17T02:00:00Z", "2026-11-17T02:00:00Z"]);
  expect(times({ state: "pending", startedAt: undefined })).toEqual([undefined, undefined]);
});

test("conditionsOf() has never both Reconciling and Stalled, which kstatus forbids", () => {
  for (const state of ["pending", "running", "completed", "failed", "canceled"] as const) {
    for (const extra of [{}, { stall }]) {
      const types = conditionsOf({ ...base, state, ...extra }).map(({ type }) => type);
      expect(types.includes("Reconciling") && types.includes("Stalled")).toBe(false);
      expect(new Set(types).size).toBe(types.length);
    }
  }
});
