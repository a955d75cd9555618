import { expect, test } from "vitest";
import { TestClock } from "../../../test/harness/clock.ts";
import { SlowCalls } from "./slow-calls.ts";

test("SlowCalls tells the oldest call that hangs, that this is what is wrong, and that it is over", async () => {
  const clock = new TestClock();
  const told: (string | undefined)[][] = [];
  const slow = new SlowCalls(clock, (...given) => void told.push(given));
  const ends: (() => void)[] = [];
  const hang = () => new Promise<void>((resolve) => void ends.push(resolve));
  const calls = [slow.watch("one", hang), slow.watch("two", hang)];
  await slow.watch("quick", async () => undefined);
  await clock.advance(9_000);
  expect(told).toEqual([]);
  await clock.advance(1_000);
  expect(told.at(-1)).toEqual(["one", "plugin-silent"]);
  ends[0]?.();
  await clock.advance(0);
  expect(told.at(-1)).toEqual(["two", "plugin-silent"]);
  ends[1]?.();
  await Promise.all(calls);
  expect(told.at(-1)).toEqual([undefined, undefined]);
});

test("SlowCalls ends its wait when the call fails", async () => {
  const clock = new TestClock();
  const told: (string | undefined)[] = [];
  const slow = new SlowCalls(clock, (what) => void told.push(what));
  let fail: (error: Error) => void = () => undefined;
  const failing = expect(
    slow.watch("one", () => new Promise((_, reject) => void (fail = reject))),
  ).rejects.toThrow("gone");
  await clock.advance(10_000);
  fail(new Error("gone"));
  await failing;
  expect(told).toEqual(["one", undefined]);
});
