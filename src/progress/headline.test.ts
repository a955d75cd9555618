import { expect, test } from "vitest";
import { anOperation } from "../../test/harness/fake-observer.ts";
import { failedPart, headline, obstacle, summary } from "./headline.ts";

const stall = { since: 0, cause: "pod-pending" } as const;
const volume = (name: string, given = {}) =>
  anOperation(name, { kind: "podvolumebackup", title: `shop/${name}: data`, ...given });

test.each([
  ["an estimate", { eta: { seconds: 300, low: 240, high: 480 } }, "about 5 min left (4 to 8 min)"],
  [
    "a wait",
    { eta: { unknown: "waiting" }, waitingFor: { reason: "queue", message: "its turn" } },
    "waiting for its turn",
  ],
  [
    "a stall before a wait",
    { stall, waitingFor: { reason: "pod" } },
    "stalled for 1m 00s: the pod is pending",
  ],
  [
    "a part that is stuck",
    { children: [volume("db"), volume("web", { stall })] },
    "shop/web: data: stalled for 1m 00s: the pod is pending",
  ],
  [
    "an end before a stall",
    { state: "completed", stall, startedAt: 0, finishedAt: 41_000 },
    "completed in 41s",
  ],
  ["nothing known", {}, ""],
] as const)("[WD3] the headline is %s", (_name, given, want) => {
  expect(headline(anOperation("a", given), 60_000)).toBe(want);
});

test("[WD2] the headline says how many more parts stand still", () => {
  const children = [volume("a", { stall }), volume("b", { stall }), volume("c", { stall })];
  expect(headline(anOperation("x", { children }), 60_000)).toBe(
    "shop/a: data and 2 more: stalled for 1m 00s: the pod is pending",
  );
});

test.each([
  [{ state: "completed", startedAt: 0, finishedAt: 41_000, message: "done" }, "completed in 41s"],
  [{ state: "completed", warnings: 1, startedAt: 0, finishedAt: 400 }, "completed, 1 warning"],
  [
    { state: "failed", startedAt: 0, finishedAt: 41_000, errors: 2, message: "no room" },
    "failed after 41s, 2 errors: no room",
  ],
  [{ state: "canceled", startedAt: 0, finishedAt: 3_000 }, "canceled after 3s"],
  [{ state: "partially-failed", errors: 1 }, "partially failed, 1 error"],
  [{ state: "skipped", startedAt: 0, finishedAt: 0, message: "nothing to do" }, "skipped: nothing to do"],
  [
    {
      state: "failed",
      children: [
        anOperation("s", { kind: "step", title: "VolumeBackup", state: "failed", message: "locked" }),
      ],
    },
    "failed, at Back up volumes: locked",
  ],
] as const)("[WD4] %j ends as %s", (given, want) => {
  expect(headline(anOperation("a", given))).toBe(want);
});

test("[WD5] text that is read later has the moment of a stall", () => {
  const since = Date.UTC(2026, 10, 16, 14, 2, 5);
  expect(headline(anOperation("a", { stall: { since, cause: "lock-held" } }))).toBe(
    "stalled since 2026-11-16T14:02:05Z: the repository is locked",
  );
});

test("obstacle() is nothing while work moves or is over", () => {
  expect(obstacle(anOperation("a", { eta: { seconds: 1, low: 1, high: 1 } }), 0)).toBeUndefined();
  expect(obstacle(anOperation("a", { state: "failed" }), 0)).toBeUndefined();
});

test("failedPart() is the deepest that failed, before one that failed in part", () => {
  const deep = volume("db", { state: "failed" });
  const parts = [
    anOperation("items", { state: "partially-failed" }),
    anOperation("volumes", { state: "failed", children: [volume("web", { state: "completed" }), deep] }),
  ];
  expect(failedPart(anOperation("b", { state: "failed", children: parts }))).toBe(deep);
  expect(failedPart(anOperation("b", { children: [volume("a")] }))).toBeUndefined();
});

test.each([
  [{ state: "completed", startedAt: 0, finishedAt: 7_000 }, "Backup a completed in 7s"],
  [{ state: "failed", message: "no room", errors: 2 }, "Backup a failed, 2 errors: no room (nothing done)"],
  [
    { state: "partially-failed", progress: { unit: "items", done: 3, total: 4, movedAt: 0 }, warnings: 1 },
    "Backup a partially failed, 1 warning (3 of 4 items)",
  ],
] as const)("[WD4] summary(%j) stands alone", (given, want) => {
  expect(summary(anOperation("a", given))).toBe(want);
});
