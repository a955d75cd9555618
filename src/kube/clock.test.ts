import { afterEach, expect, test, vi } from "vitest";
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

const dayMs = 86_400_000;
afterEach(() => vi.useRealTimers());

test.each([30 * dayMs, 400 * dayMs])(
  "systemClock.after() waits for %j ms, which no timer can",
  async (delayMs) => {
    vi.useFakeTimers();
    let calls = 0;
    systemClock.after(delayMs, () => (calls += 1));
    await vi.advanceTimersByTimeAsync(delayMs - 1);
    expect(calls).toBe(0);
    await vi.advanceTimersByTimeAsync(1);
    expect(calls).toBe(1);
    expect(vi.getTimerCount()).toBe(0);
  },
);

test("systemClock.after() can be canceled in every part of a long wait", async () => {
  vi.useFakeTimers();
  const cancel = systemClock.after(60 * dayMs, () => expect.unreachable("it was canceled"));
  await vi.advanceTimersByTimeAsync(30 * dayMs);
  cancel();
  expect(vi.getTimerCount()).toBe(0);
});

test.each([-1, Number.NEGATIVE_INFINITY, Number.NaN])(
  "systemClock.after(%j) calls at once",
  async (delayMs) => {
    vi.useFakeTimers();
    const warned = vi.spyOn(process, "emitWarning");
    let calls = 0;
    systemClock.after(delayMs, () => (calls += 1));
    await vi.advanceTimersByTimeAsync(1);
    expect(calls).toBe(1);
    expect(warned).not.toHaveBeenCalled();
  },
);

test("systemClock.monotonic() does not follow the wall clock", () => {
  const before = systemClock.monotonic();
  const wall = vi.spyOn(Date, "now").mockReturnValue(0);
  expect(systemClock.now()).toBe(0);
  expect(systemClock.monotonic()).toBeGreaterThanOrEqual(before);
  wall.mockRestore();
});
