import { expect, test } from "vitest";
import { findCondition, isTrue, put, removeCondition } from "./conditions.ts";

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly lastTransitionTime: string;
}

const t0 = "2026-11-15T10:00:00Z";
const t1 = "2026-11-15T10:05:00Z";
const ready: Condition = { type: "Ready", status: "True", reason: "Checked", lastTransitionTime: t0 };
const busy: Condition = { type: "Busy", status: "False", lastTransitionTime: t0 };

const set = (
  list: readonly Condition[] | null,
  condition: Omit<Condition, "lastTransitionTime">,
  now: string,
) => put(list, condition, now, (old) => old.status === condition.status);

test("findCondition() and isTrue() read absent, null and empty lists", () => {
  expect(findCondition([busy, ready], "Ready")).toBe(ready);
  for (const none of [undefined, null, [], [busy]]) {
    expect(findCondition(none, "Ready")).toBeUndefined();
    expect(isTrue(none, "Ready")).toBe(false);
  }
  expect(isTrue([ready], "Ready")).toBe(true);
  expect(isTrue([busy], "Busy")).toBe(false);
});

test("put() appends, with the present time", () => {
  expect(set(null, { type: "Ready", status: "True" }, t1)).toEqual([
    { type: "Ready", status: "True", lastTransitionTime: t1 },
  ]);
});

test("put() keeps place and time while the status stays, even if the reason changes", () => {
  expect(set([ready, busy], { type: "Ready", status: "True", reason: "Again" }, t1)).toEqual([
    { type: "Ready", status: "True", reason: "Again", lastTransitionTime: t0 },
    busy,
  ]);
});

test("put() moves the time when the status changes, and leaves the old list alone", () => {
  const list = [ready, busy];
  expect(set(list, { type: "Busy", status: "True" }, t1)[1]).toEqual({
    type: "Busy",
    status: "True",
    lastTransitionTime: t1,
  });
  expect(list).toEqual([ready, busy]);
});

test("removeCondition() removes by type", () => {
  expect(removeCondition([ready, busy], "Ready")).toEqual([busy]);
  expect(removeCondition(undefined, "Ready")).toEqual([]);
});
