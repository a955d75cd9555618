import { expect, test } from "vitest";
import { TestClock } from "../../test/harness/clock.ts";
import { whileAllowed } from "./rights.ts";

function watched(answers: readonly (boolean | Error | Promise<boolean>)[]) {
  const clock = new TestClock();
  const seen = { asked: 0, ended: 0 };
  const ask = async () => {
    const answer = answers[Math.min(seen.asked++, answers.length - 1)];
    if (answer instanceof Error) throw answer;
    return answer ?? false;
  };
  const stop = whileAllowed(ask, clock, () => void (seen.ended += 1));
  return { clock, seen, stop };
}

test("whileAllowed() asks at least every minute, and lets a stream go on that may", async () => {
  const { clock, seen, stop } = watched([true]);
  await clock.advance(600_000);
  expect(seen.asked).toBeGreaterThanOrEqual(10);
  expect(seen.ended).toBe(0);
  stop();
  expect(clock.waiting).toBe(0);
});

test("whileAllowed() ends a stream within a minute after its right", async () => {
  const { clock, seen } = watched([true, false]);
  await clock.advance(20_000);
  expect(seen.ended).toBe(0);
  await clock.advance(60_000);
  expect(seen.ended).toBe(1);
  expect(clock.waiting).toBe(0);
});

test.each([
  ["is away", new Error("no answer")],
  ["is silent", new Promise<boolean>(() => undefined)],
])("whileAllowed() ends a stream when the cluster %s for a minute, not before", async (_how, answer) => {
  const { clock, seen } = watched([answer]);
  await clock.advance(59_000);
  expect(seen.ended).toBe(0);
  await clock.advance(31_000);
  expect(seen.ended).toBe(1);
  expect(clock.waiting).toBe(0);
});

test("whileAllowed() survives an outage shorter than a minute", async () => {
  const { clock, seen, stop } = watched([true, new Error("no answer"), true]);
  await clock.advance(300_000);
  expect(seen.ended).toBe(0);
  stop();
});

test("whileAllowed() ends nothing after it was told to stop, whatever the last answer says", async () => {
  const late = Promise.withResolvers<boolean>();
  const { clock, seen, stop } = watched([late.promise]);
  await clock.advance(30_000);
  expect(seen.asked).toBe(1);
  stop();
  late.resolve(false);
  await clock.advance(300_000);
  expect(seen).toEqual({ asked: 1, ended: 0 });
});
