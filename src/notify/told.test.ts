import { expect, test } from "vitest";
import { anOperation } from "../../test/harness/fake-observer.ts";
import type { Operation } from "../progress/index.ts";
import { dueBy, firstSight, nextStep, type Told } from "./told.ts";

const t = 1_000_000;
const stalled = { stall: { since: t - 5_000, cause: "no-movement" } } as const;

test.each<[string, Told, Partial<Operation>, string | undefined]>([
  ["nothing of what waits", {}, { state: "pending" }, undefined],
  ["the start", {}, { state: "running" }, "started"],
  ["the start once", { started: true }, { state: "running" }, undefined],
  ["the start before the end", {}, { state: "completed", startedAt: t }, "started"],
  ["only the end of what never began", {}, { state: "failed" }, "failed"],
  ["a stall", { started: true }, { ...stalled }, "stalled"],
  ["a stall once", { started: true, stalled: t }, { ...stalled }, undefined],
  ["that it moves again", { started: true, stalled: t }, {}, "resumed"],
  ["that it is late", { started: true, dueBy: t - 1 }, {}, "late"],
  ["that it is late once", { started: true, dueBy: t - 1, late: true }, {}, undefined],
  ["not before its time", { started: true, dueBy: t }, {}, undefined],
  ["the end, whatever it stood at", { started: true, stalled: t }, { state: "completed" }, "completed"],
  ["what was skipped as done", { started: true }, { state: "skipped" }, "completed"],
  ["half a failure as one", { started: true }, { state: "partially-failed" }, "failed"],
  ["a cancellation", { started: true }, { state: "canceled" }, "canceled"],
  ["nothing after the end", { started: true, ended: true }, { state: "completed" }, undefined],
])("nextStep() tells %s", (_name, told, given, want) => {
  expect(nextStep(told, anOperation("a", given), t)?.event).toBe(want);
});

test.each<[string, Partial<Operation>, number | undefined, Told]>([
  [
    "ended before",
    { state: "completed", startedAt: t - 9_000, finishedAt: t - 2_000 },
    t - 9_000,
    { started: true, ended: true },
  ],
  ["ended since", { state: "completed", startedAt: t, finishedAt: t + 2_000 }, t, {}],
  [
    "came from a store",
    { state: "completed", finishedAt: t + 2_000 },
    t + 60_000,
    { started: true, ended: true },
  ],
  ["failed at once, without times", { state: "failed" }, t + 1, {}],
  ["failed at once, long ago", { state: "failed" }, t - 60_000, { started: true, ended: true }],
  ["runs since before", { state: "running", startedAt: t - 2_000 }, t - 9_000, { started: true }],
  ["began in the same second", { state: "running", startedAt: t }, t, {}],
  ["waits", { state: "pending" }, t - 9_000, {}],
])("firstSight() of what %s", (_name, given, createdAt, want) => {
  expect(firstSight(anOperation("a", given), { createdAt, sinceMs: t + 500 })).toEqual(want);
});

test.each<[string, Told, Partial<Operation>, number | undefined]>([
  [
    "a short estimate gets a minute more",
    {},
    { startedAt: t - 40_000, eta: { seconds: 10, low: 5, high: 20 } },
    t + 80_000,
  ],
  [
    "a long one a quarter",
    {},
    { startedAt: t - 100_000, eta: { seconds: 200, low: 5, high: 300 } },
    t + 400_000,
  ],
  [
    "an early one is not believed",
    {},
    { startedAt: t - 1_000, eta: { seconds: 10, low: 5, high: 20 } },
    undefined,
  ],
  ["none is none", {}, { startedAt: t - 40_000, eta: { unknown: "counting" } }, undefined],
  [
    "the first one stays",
    { dueBy: 7 },
    { startedAt: t - 40_000, eta: { seconds: 10, low: 5, high: 20 } },
    undefined,
  ],
])("dueBy(): %s", (_name, told, given, want) => {
  expect(dueBy(told, anOperation("a", given), t).dueBy).toBe(want);
});
