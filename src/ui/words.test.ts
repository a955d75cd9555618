import { expect, test } from "vitest";
import { anOperation } from "../../test/harness/fake-observer.ts";
import { elapsed, kindWord, newsOf, numbersOf, shortTime, sureness, utcTime } from "./words.ts";

test.each([
  [{ eta: { seconds: 300, low: 240, high: 480 } }, "about 5 min left (4 to 8 min)"],
  [{ waitingFor: { reason: "queue", message: "its turn" } }, "waiting for its turn"],
  [{ stall: { since: 0, cause: "pod-pending" } }, "stalled for 1m 00s: the pod is pending"],
  [{ state: "completed", startedAt: 0, finishedAt: 41_000 }, "in 41s"],
  [
    { state: "failed", startedAt: 0, finishedAt: 41_000, errors: 2, message: "no room" },
    "after 41s, 2 errors, no room",
  ],
  [{}, ""],
] as const)("newsOf(%j) is the most urgent thing to know", (given, want) => {
  expect(newsOf(anOperation("a", given), 60_000)).toBe(want);
});

test.each([
  [{ seconds: 100, low: 90, high: 115 }, "quite sure"],
  [{ seconds: 100, low: 70, high: 150 }, "fairly sure"],
  [{ seconds: 100, low: 20, high: 300 }, "a rough guess"],
  [{ seconds: 3, low: 1, high: 6 }, "nearly there"],
  [{ unknown: "counting" }, ""],
] as const)("sureness(%j) is %s", (eta, want) => {
  expect(sureness(eta)).toBe(want);
});

test("numbersOf() leaves out counts that are no counts to a person", () => {
  const steps = { unit: "steps", done: 3750, total: 10_000, movedAt: 0 } as const;
  expect(numbersOf(anOperation("p", { kind: "phase", progress: steps }))).toBe("");
  expect(numbersOf(anOperation("p", { progress: { unit: "items", done: 3, total: 9, movedAt: 0 } }))).toBe(
    "3 of 9 items",
  );
  const step = (done: number, total: number) => ({ unit: "steps" as const, done, total, movedAt: 0 });
  const phases = ["a", "b", "c"].map((name) => anOperation(name, { kind: "phase" }));
  const action = anOperation("backup", { kind: "action", progress: step(1, 3), children: phases });
  expect(numbersOf(anOperation("set", { progress: step(0, 1), children: [action] }))).toBe("1 of 3 steps");
});

test("numbersOf() tells what the running step moves, not how many steps are over", () => {
  const bytes = (done: number, total?: number) => ({
    unit: "bytes" as const,
    done,
    ...(total !== undefined && { total }),
    movedAt: 0,
  });
  const volumes = (second: ReturnType<typeof bytes>) =>
    anOperation("volumes", {
      children: [anOperation("v", { progress: bytes(1024, 4096) }), anOperation("w", { progress: second })],
    });
  const items = anOperation("items", { progress: { unit: "items", done: 5, total: 9, movedAt: 0 } });
  const whole = (...children: ReturnType<typeof anOperation>[]) =>
    anOperation("b", { progress: { unit: "steps", done: 0, total: 3, movedAt: 0 }, children });
  expect(numbersOf(whole(items, volumes(bytes(1024, 4096))))).toBe("2.0 KiB of 8.0 KiB");
  expect(numbersOf(whole(items, volumes(bytes(1024))))).toBe("2.0 KiB so far");
  expect(numbersOf(whole(items))).toBe("5 of 9 items");
  expect(numbersOf({ ...whole(items), state: "completed" })).toBe("0 of 3 steps");
});

test("shortTime() says no more than is needed to know when", () => {
  const now = new Date(2026, 10, 16, 12, 0, 0).getTime();
  expect(shortTime(new Date(2026, 10, 16, 9, 5, 7).getTime(), now)).toContain("05:07");
  const before = shortTime(new Date(2026, 10, 14, 9, 5, 7).getTime(), now);
  expect(before).toContain("Nov 14");
  expect(before).not.toContain("2026");
  expect(shortTime(new Date(2025, 10, 14).getTime(), now)).toContain("2025");
});

test("words for kinds and moments", () => {
  expect(kindWord("actionset")).toBe("Action");
  expect(kindWord("backup")).toBe("Backup");
  expect(utcTime(0)).toBe("1970-01-01 00:00:00 UTC");
  expect(elapsed(anOperation("a", { startedAt: 1_000 }), 4_000)).toBe("3s");
});
