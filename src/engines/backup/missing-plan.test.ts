import { expect, test } from "vitest";
import type { Backup } from "../../api/index.ts";
import { planMissing } from "./missing-plan.ts";

const backup = (uid: string) =>
  ({ apiVersion: "velero.io/v1", kind: "Backup", metadata: { name: uid, uid } }) as Backup;
const facts = { seen: new Map<string, number>(), nowMs: 100_000, periodMs: 60_000, isAllowed: false };
const before = (...uids: string[]) => new Map(uids.map((uid) => [uid, 40_000]));

test("a Backup that is missed for the first time stays, and goes the second time", () => {
  const first = planMissing({ ...facts, orphans: [backup("a")], all: 5 });
  expect(first).toEqual({ forget: [], seen: new Map([["a", 100_000]]) });
  const soon = planMissing({ ...facts, orphans: [backup("a")], all: 5, seen: first.seen, nowMs: 159_999 });
  expect(soon.forget, "within the period it was not looked for again").toEqual([]);
  const second = planMissing({ ...facts, orphans: [backup("a")], all: 5, seen: soon.seen, nowMs: 160_000 });
  expect(second.forget).toEqual([backup("a")]);
});

test("a Backup that is found again is missed anew afterwards", () => {
  const found = planMissing({ ...facts, orphans: [], all: 5, seen: before("a") });
  expect(found.seen.size).toBe(0);
  expect(planMissing({ ...facts, orphans: [backup("a")], all: 5, seen: found.seen }).forget).toEqual([]);
});

test.each([
  [1, 1, 1, undefined],
  [1, 2, 1, undefined],
  [2, 2, 0, "2 of 2"],
  [2, 3, 0, "2 of 3"],
  [2, 4, 2, undefined],
  [3, 4, 0, "3 of 4"],
  [50, 100, 50, undefined],
  [51, 100, 0, "51 of 100"],
])("planMissing(): of %j missing among %j, %j go", (missing, all, go, held) => {
  const uids = Array.from({ length: missing }, (_, i) => `u${i}`);
  const plan = planMissing({ ...facts, orphans: uids.map(backup), all, seen: before(...uids) });
  expect([plan.forget.length, plan.held]).toEqual([go, held]);
});

test("most of them missing, some for the first time: none goes", () => {
  const orphans = ["a", "b", "c"].map(backup);
  const plan = planMissing({ ...facts, orphans, all: 4, seen: before("a") });
  expect([plan.forget, plan.held]).toEqual([[], "3 of 4"]);
});

test("somebody's word lets all go that were missed twice", () => {
  const orphans = ["a", "b", "c"].map(backup);
  const plan = planMissing({ ...facts, orphans, all: 3, seen: before("a", "b"), isAllowed: true });
  expect(plan.forget).toEqual([backup("a"), backup("b")]);
  expect(plan.held).toBeUndefined();
});
