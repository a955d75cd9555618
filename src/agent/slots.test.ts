import { expect, test } from "vitest";
import { settle } from "../../test/harness/clock.ts";
import { Slots, slotWords } from "./slots.ts";

const signal = new AbortController().signal;

test("run() lets so many in at a time, in order", async () => {
  const slots = new Slots(2);
  const log: string[] = [];
  const gates = ["a", "b", "c"].map((name) => ({ name, ...Promise.withResolvers<void>() }));
  const runs = gates.map(({ name, promise }) =>
    slots.run(async () => {
      log.push(name);
      await promise;
    }, signal),
  );
  await settle();
  expect(log).toEqual(["a", "b"]);
  expect(slots.full).toBe(true);
  for (const gate of gates) gate.resolve();
  await Promise.all(runs);
  expect(log).toEqual(["a", "b", "c"]);
  expect(slots.full).toBe(false);
});

test("run() gives the slot back after a failure, and nobody who left gets one", async () => {
  const slots = new Slots(1);
  const gate = Promise.withResolvers<void>();
  const first = slots.run(() => gate.promise, signal);
  const leaving = new AbortController();
  const second = slots.run(() => Promise.resolve("never"), leaving.signal);
  leaving.abort(new Error("left"));
  await expect(second).rejects.toThrow("left");
  gate.reject(new Error("boom"));
  await expect(first).rejects.toThrow("boom");
  expect(await slots.run(() => Promise.resolve("in"), signal)).toBe("in");
});

test("run() tells those who wait how many come before them, and who is at work", async () => {
  const slots = new Slots(1);
  const first = Promise.withResolvers<void>();
  const second = Promise.withResolvers<void>();
  const told: string[] = [];
  const never = new AbortController().signal;
  const a = slots.run(() => first.promise, never, "a");
  const b = slots.run(() => second.promise, never, "b");
  const c = slots.run(
    () => Promise.resolve(),
    never,
    "c",
    (ahead, holders) => told.push(slotWords("n1", ahead, holders)),
  );
  first.resolve();
  await a;
  await new Promise((resolve) => setImmediate(resolve));
  second.resolve();
  await Promise.all([b, c]);
  expect(told).toEqual([
    "a free slot on node n1, number 2 in line; a is at work",
    "a free slot on node n1, next in line; b is at work",
  ]);
});

test.each([
  [0, [], "a free slot on node n, next in line"],
  [2, ["a", "b", "c", "d"], "a free slot on node n, number 3 in line; a, b, c and 1 more are at work"],
])("slotWords() with %i ahead of %o", (ahead, holders, words) => {
  expect(slotWords("n", ahead, holders)).toBe(words);
});
