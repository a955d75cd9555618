import { expect, test } from "vitest";
import { anOperation } from "../../test/harness/fake-observer.ts";
import { doneWords, numbersOf, numbersShort } from "./done.ts";
import type { Operation, State } from "./operation.ts";

const gib = 2 ** 30;
const bytes = (done: number, total?: number) => ({
  unit: "bytes" as const,
  done,
  ...(total !== undefined && { total }),
  movedAt: 0,
});
const items = (done: number, total: number) => ({ unit: "items" as const, done, total, movedAt: 0 });
const steps = (done: number, total: number) => ({ unit: "steps" as const, done, total, movedAt: 0 });
const copy = (name: string, state: State, done: number, total?: number) =>
  anOperation(name, { kind: "podvolumebackup", state, progress: bytes(done, total) });

/** A backup with 900 items and two volumes, one of which failed. */
const run = (state: State, counted: number): Operation =>
  anOperation("b", {
    state,
    startedAt: 0,
    fraction: 0.99,
    progress: steps(3, 4),
    children: [
      anOperation("items", { kind: "items", state: "completed", progress: items(counted, 900) }),
      anOperation("volumes", {
        kind: "volumes",
        state: "partially-failed",
        progress: bytes(1.2 * gib, 1.8 * gib),
        children: [copy("v", "completed", gib, gib), copy("w", "failed", 0.2 * gib, 0.8 * gib)],
      }),
      anOperation("finish", { kind: "finish", state: "completed" }),
    ],
  });

test.each([
  [{ fraction: 0.436 }, "43%"],
  [{}, "–"],
  [{ state: "completed", fraction: 1 }, "100%"],
] as const)("[WD7] %j reads %s", (given, want) => {
  expect(doneWords(anOperation("a", given))).toBe(want);
});

test.each(["failed", "canceled", "partially-failed"] as const)("[WD7] no percent after it %s", (state) => {
  expect(doneWords(run(state, 412))).toBe("1 of 2 volumes, 1.2 of 1.8 GiB, 412 of 900 items");
  expect(numbersOf(run(state, 412))).toBe("");
});

test("[WD7] a migration that failed counts its steps, not volumes that are copied twice", () => {
  const step = (title: string, state: State, children: Operation[] = []) =>
    anOperation(title, { kind: "step", title, state, children });
  const back = anOperation("r", { kind: "podvolumerestore", state: "failed", progress: bytes(1, 2) });
  const children = [
    step("VolumeBackup", "completed", [copy("v", "completed", 9, 9)]),
    step("VolumeRestore", "failed", [back]),
  ];
  expect(doneWords(anOperation("m", { state: "failed", startedAt: 0, children }))).toBe("1 of 2 steps");
});

test("[WD7] an action that failed counts its phases", () => {
  const phase = (state: State) => anOperation(state, { kind: "phase", state });
  const action = anOperation("a", {
    kind: "action",
    state: "failed",
    children: [phase("completed"), phase("failed")],
  });
  expect(doneWords(anOperation("s", { state: "failed", startedAt: 0, children: [action] }))).toBe(
    "1 of 2 phases",
  );
});

test("[WD8] what was refused has done nothing; what began without numbers says nothing", () => {
  expect(doneWords(anOperation("b", { state: "failed" }))).toBe("nothing done");
  expect(doneWords(anOperation("b", { state: "failed", startedAt: 0 }))).toBe("");
  expect(doneWords(anOperation("b", { state: "skipped" }))).toBe("");
});

test("numbersOf() sums up what a completed run has done", () => {
  expect(numbersOf(run("completed", 900))).toBe("1 of 2 volumes, 1.2 of 1.8 GiB, 900 items");
  const one = anOperation("v", { kind: "podvolumebackup", state: "completed", progress: bytes(gib, gib) });
  expect([numbersOf(one), numbersShort(one)]).toEqual(["1.0 GiB", "1.0 GiB"]);
});

test("numbersOf() leaves out bytes that are those of the archive, or too few", () => {
  const counted = anOperation("items", { kind: "items", state: "completed", progress: items(25, 25) });
  const archive = anOperation("finish", {
    kind: "finish",
    state: "completed",
    progress: bytes(8_900, 8_900),
  });
  const silent = anOperation("w", { kind: "podvolumebackup", state: "completed" });
  const ended = (...children: Operation[]) => anOperation("b", { state: "completed", children });
  expect(numbersOf(ended(counted, archive))).toBe("25 items");
  expect(numbersOf(ended(counted, copy("v", "completed", gib, gib), silent))).toBe("2 volumes, 25 items");
  expect(numbersOf(ended(archive))).toBe("8.7 KiB");
  expect(numbersOf(anOperation("v", { progress: bytes(0) }))).toBe("");
});

test("numbersOf() leaves out counts that are no counts to a person", () => {
  expect(numbersOf(anOperation("p", { kind: "phase", progress: steps(3750, 10_000) }))).toBe("");
  expect(numbersOf(anOperation("p", { progress: items(3, 9) }))).toBe("3 of 9 items");
  const phases = ["a", "b", "c"].map((name) => anOperation(name, { kind: "phase" }));
  const action = anOperation("backup", { kind: "action", progress: steps(1, 3), children: phases });
  expect(numbersOf(anOperation("set", { progress: steps(0, 1), children: [action] }))).toBe("1 of 3 steps");
});

test("numbersOf() tells what the running step moves, not how many steps are over", () => {
  const volumes = (progress: ReturnType<typeof bytes>) =>
    anOperation("volumes", { kind: "volumes", progress });
  const objects = anOperation("items", { progress: items(5, 9) });
  const whole = (...children: Operation[]) => anOperation("b", { progress: steps(0, 3), children });
  expect(numbersOf(whole(objects, volumes(bytes(2048, 8192))))).toBe("2.0 KiB of 8.0 KiB");
  expect(numbersShort(whole(objects, volumes(bytes(2048, 8192))))).toBe("2.0 of 8.0 KiB");
  expect(numbersOf(whole(objects, volumes(bytes(2048))))).toBe("2.0 KiB so far");
  expect(numbersOf(whole(objects))).toBe("5 of 9 items");
});
