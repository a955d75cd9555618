import { expect, test } from "vitest";
import { anOperation } from "../../test/harness/fake-observer.ts";
import { arrange, groupOf, inOrder } from "./order.ts";

const stall = { since: 0, cause: "agent-missing" } as const;
const hour = 3_600_000;

test.each([
  ["[WD9] what stands still needs eyes", anOperation("a", { stall }), "attention"],
  ["[WD9] a stalled part, too", anOperation("a", { children: [anOperation("v", { stall })] }), "attention"],
  ["[WD10] a fresh failure", anOperation("a", { state: "failed", finishedAt: 47 * hour }), "attention"],
  ["[WD10] an old failure is history", anOperation("a", { state: "failed", finishedAt: hour }), "ended"],
  ["[WD9] what moves", anOperation("a"), "running"],
  ["[WD9] what waits", anOperation("a", { state: "pending" }), "waiting"],
  ["[WD10] a cancel is no problem", anOperation("a", { state: "canceled", finishedAt: 47 * hour }), "ended"],
] as const)("%s", (_name, operation, want) => {
  expect(groupOf(operation, 48 * hour)).toBe(want);
});

test("[WD9] problems come first, and moving bars keep their place", () => {
  const names = (all: ReturnType<typeof arrange>) =>
    all.map(({ group, operations }) => [group, ...operations.map((o) => o.ref.name)]);
  const all = [
    anOperation("old", { state: "completed", finishedAt: 1 }),
    anOperation("new", { state: "completed", finishedAt: 2 }),
    anOperation("b", { startedAt: 5, fraction: 0.1 }),
    anOperation("c", { startedAt: 5, fraction: 0.9 }),
    anOperation("stuck", { startedAt: 1, stall }),
    anOperation("failed", { state: "failed", finishedAt: 9 }),
  ];
  const want = [
    ["attention", "stuck", "failed"],
    ["running", "b", "c"],
    ["ended", "new", "old"],
  ];
  expect(names(arrange(all, 10))).toEqual(want);
  const later = all.map((operation) => ({ ...operation, fraction: 0.99 })).toReversed();
  expect(names(arrange(later, 10))).toEqual(want);
  expect(inOrder(later, 10).map(({ ref }) => ref.name)).toEqual(want.flatMap(([, ...each]) => each));
});
