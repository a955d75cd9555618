import { expect, test } from "vitest";
import { settle, TestClock } from "../../test/harness/clock.ts";
import { AppError } from "../errors.ts";
import { Controller, type ControllerOptions } from "./controller.ts";

function start(options: ControllerOptions) {
  const clock = new TestClock();
  const stop = new AbortController();
  const controller = new Controller({
    clock,
    random: () => 1,
    backoff: { firstMs: 100, maxMs: 1_000 },
    ...options,
  });
  return { clock, stop, controller, over: controller.run(stop.signal) };
}

test("Controller tries again after a failure, later each time", async () => {
  const at: number[] = [];
  const { clock, stop, controller, over } = start({
    reconcile: () => {
      at.push(clock.now() - 1_000_000);
      return Promise.reject(new Error("not yet"));
    },
  });
  controller.add("a");
  await clock.advance(700);
  expect(at).toEqual([0, 100, 300, 700]);
  stop.abort();
  await over;
});

test("Controller leaves a terminal failure alone until the name comes again", async () => {
  const failures: boolean[] = [];
  let calls = 0;
  const { clock, stop, controller, over } = start({
    reconcile: () => {
      calls += 1;
      return Promise.reject(new AppError("USAGE", "bad spec", { retry: false }));
    },
    onError: (_name, _error, final) => failures.push(final),
  });
  controller.add("a");
  await clock.advance(10_000);
  expect([calls, failures]).toEqual([1, [true]]);
  controller.add("a");
  await clock.advance(0);
  expect(calls).toBe(2);
  stop.abort();
  await over;
});

test("Controller looks again when a look asks for it", async () => {
  const at: number[] = [];
  const { clock, stop, controller, over } = start({
    reconcile: () => {
      at.push(clock.now() - 1_000_000);
      return Promise.resolve(at.length < 3 ? { againAfterMs: 50 } : undefined);
    },
  });
  controller.add("a");
  await clock.advance(1_000);
  expect(at).toEqual([0, 50, 100]);
  stop.abort();
  await over;
});

test("Controller works on at most `workers` names at a time and on one name once", async () => {
  const running = new Map<string, () => void>();
  let most = 0;
  const { stop, controller, over } = start({
    workers: 2,
    reconcile: (name) => {
      expect(running.has(name)).toBe(false);
      return new Promise<void>((resolve) => {
        running.set(name, resolve);
        most = Math.max(most, running.size);
      });
    },
  });
  for (const name of ["a", "b", "c", "a"]) controller.add(name);
  await settle();
  expect([...running.keys()]).toEqual(["a", "b"]);
  controller.add("a");
  const [first] = running.values();
  running.delete("a");
  first?.();
  await settle();
  expect([...running.keys()]).toEqual(["b", "c"]);
  expect(most).toBe(2);
  stop.abort();
  for (const end of running.values()) end();
  await over;
});

test("Controller.run() ends only after the looks that run, and reports no failure of a stop", async () => {
  const failures: unknown[] = [];
  const ends: (() => void)[] = [];
  const { stop, controller, over } = start({
    reconcile: (_name, signal) =>
      new Promise((_resolve, reject) => {
        ends.push(() => reject(signal.reason));
      }),
    onError: (_name, error) => failures.push(error),
  });
  controller.add("a");
  controller.add("b");
  await settle();
  let ended = false;
  void over.then(() => {
    ended = true;
  });
  stop.abort();
  await settle();
  expect(ended).toBe(false);
  for (const end of ends) end();
  await over;
  expect([ends.length, failures]).toEqual([2, []]);
});
