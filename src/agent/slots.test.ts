import { expect, test } from "vitest";
import { settle } from "../../test/harness/clock.ts";
import { Slots } from "./slots.ts";

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
