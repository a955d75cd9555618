import { expect, test } from "vitest";
import { TestClock } from "../../test/harness/clock.ts";
import { sleep, systemClock } from "./clock.ts";

test("sleep() ends after its time and not before", async () => {
  const clock = new TestClock();
  let over = false;
  void sleep(clock, 1_000).then(() => {
    over = true;
  });
  await clock.advance(999);
  expect(over).toBe(false);
  await clock.advance(1);
  expect(over).toBe(true);
});

test("sleep() leaves no timer behind when its signal fires", async () => {
  const clock = new TestClock();
  const stop = new AbortController();
  const slept = sleep(clock, 1_000, stop.signal);
  stop.abort(new Error("enough"));
  await expect(slept).rejects.toThrow("enough");
  expect(clock.waiting).toBe(0);
  await expect(sleep(clock, 1, stop.signal)).rejects.toThrow("enough");
});

test("systemClock calls back, unless it was canceled", async () => {
  const called = await new Promise<string>((resolve) => {
    systemClock.after(0, () => resolve("canceled one"))();
    systemClock.after(0, () => resolve("kept one"));
  });
  expect(called).toBe("kept one");
  expect(Math.abs(systemClock.now() - Date.now())).toBeLessThan(60_000);
});
