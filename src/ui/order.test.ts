import { expect, test } from "vitest";
import { anOperation } from "../../test/harness/fake-observer.ts";
import { arrange, groupOf, narrow, shownState, stalledPart } from "./order.ts";
import { noFilters } from "./route.ts";

const stall = { since: 0, cause: "agent-missing" } as const;
const hour = 3_600_000;

test.each([
  ["what stands still needs eyes", anOperation("a", { stall }), "attention"],
  ["a stalled part, too", anOperation("a", { children: [anOperation("v", { stall })] }), "attention"],
  ["a fresh failure", anOperation("a", { state: "failed", finishedAt: 47 * hour }), "attention"],
  ["an old failure is history", anOperation("a", { state: "failed", finishedAt: hour }), "ended"],
  ["what moves", anOperation("a"), "running"],
  ["what waits", anOperation("a", { state: "pending" }), "waiting"],
  ["a cancel is no problem", anOperation("a", { state: "canceled", finishedAt: 47 * hour }), "ended"],
] as const)("groupOf(): %s", (_name, operation, want) => {
  expect(groupOf(operation, 48 * hour)).toBe(want);
});

test("arrange() puts problems first and keeps moving bars at their place", () => {
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
  const moved = all.map((operation) => ({ ...operation, fraction: 0.99 })).toReversed();
  expect(names(arrange(moved, 10))).toEqual(want);
});

test("narrow() keeps what passes every filter", () => {
  const all = [
    anOperation("shop", { message: "copying" }),
    anOperation("blog", { state: "failed" }),
    anOperation("stuck", { stall, kind: "restore" }),
  ];
  const names = (more: Partial<typeof noFilters>) =>
    narrow(all, { ...noFilters, ...more }).map(({ ref }) => ref.name);
  expect(names({})).toEqual(["shop", "blog", "stuck"]);
  expect(names({ text: "COPY shop" })).toEqual(["shop"]);
  expect(names({ states: ["stalled"] })).toEqual(["stuck"]);
  expect(names({ states: ["failed", "running"], kinds: ["backup"] })).toEqual(["shop", "blog"]);
  expect(names({ namespaces: ["elsewhere"] })).toEqual([]);
  expect(names({ clusters: ["blue"] })).toEqual([]);
});

test("stalledPart() is the deepest, and nothing of what has ended", () => {
  const deep = anOperation("v", { stall });
  expect(stalledPart(anOperation("a", { stall, children: [deep] }))).toBe(deep);
  expect(stalledPart(anOperation("a", { state: "completed", stall, children: [deep] }))).toBeUndefined();
  expect(shownState(anOperation("a", { state: "completed", stall }))).toBe("completed");
});
