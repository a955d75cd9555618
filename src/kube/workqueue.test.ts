import fc from "fast-check";
import { expect, test } from "vitest";
import { TestClock } from "../../test/harness/clock.ts";
import { WorkQueue } from "./workqueue.ts";

const open = (clock = new TestClock()) =>
  new WorkQueue({ clock, random: () => 1, backoff: { firstMs: 100, maxMs: 1_000 } });

test("add() of a name that waits is one item", async () => {
  const queue = open();
  queue.add("a");
  queue.add("b");
  queue.add("a");
  expect(queue.length).toBe(2);
  expect([await queue.take(), await queue.take()]).toEqual(["a", "b"]);
});

test("a name added while it is worked on comes again, once, after the work", async () => {
  const queue = open();
  queue.add("a");
  await queue.take();
  queue.add("a");
  queue.add("a");
  expect(queue.length).toBe(0);
  queue.done("a");
  expect(await queue.take()).toBe("a");
  queue.done("a");
  expect(queue.length).toBe(0);
});

test("take() waits for a name", async () => {
  const queue = open();
  const taken = queue.take();
  queue.add("late");
  expect(await taken).toBe("late");
});

test("addAfter() keeps the earlier of two times, and add() beats both", async () => {
  const clock = new TestClock();
  const queue = open(clock);
  queue.addAfter("a", 500);
  queue.addAfter("a", 200);
  queue.addAfter("a", 900);
  await clock.advance(199);
  expect(queue.length).toBe(0);
  await clock.advance(1);
  expect(queue.length).toBe(1);
  queue.addAfter("b", 500);
  queue.add("b");
  expect([queue.length, clock.waiting]).toEqual([2, 0]);
});

test("retry() waits longer each time, until forget()", async () => {
  const clock = new TestClock();
  const queue = open(clock);
  const waitMs = async () => {
    queue.retry("a");
    const start = clock.now();
    while (queue.length === 0) await clock.advance(1);
    queue.done((await queue.take()) ?? "");
    return clock.now() - start;
  };
  expect([await waitMs(), await waitMs(), await waitMs()]).toEqual([100, 200, 400]);
  queue.forget("a");
  expect(await waitMs()).toBe(100);
});

test("close() ends every take() and every timer", async () => {
  const clock = new TestClock();
  const queue = open(clock);
  const taken = [queue.take(), queue.take()];
  queue.addAfter("a", 100);
  queue.close();
  queue.add("b");
  queue.addAfter("b", 1);
  expect(await Promise.all(taken)).toEqual([undefined, undefined]);
  expect([clock.waiting, queue.length]).toEqual([0, 0]);
});

test("no name is worked on twice at a time, and none that was added is lost", async () => {
  const step = fc.tuple(fc.constantFrom("add", "take", "done"), fc.constantFrom("a", "b", "c"));
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const queue = open();
      const working: string[] = [];
      const wanted = new Set<string>();
      for (const [what, name] of steps) {
        if (what === "add") {
          queue.add(name);
          wanted.add(name);
        } else if (what === "take" && queue.length > 0) {
          const taken = (await queue.take()) ?? "";
          expect(working).not.toContain(taken);
          expect(wanted.delete(taken)).toBe(true);
          working.push(taken);
        } else if (what === "done") {
          const over = working.shift();
          if (over !== undefined) queue.done(over);
        }
      }
      for (const over of working) queue.done(over);
      expect(queue.length).toBe(wanted.size);
    }),
  );
});

test("addAfter() keeps the earlier of two times when the clock is set back in between", async () => {
  const clock = new TestClock(1e12);
  const queue = open(clock);
  queue.addAfter("a", 1_000);
  clock.jump(-86_400_000);
  queue.addAfter("a", 60_000);
  await clock.advance(1_000);
  expect(queue.length).toBe(1);
});
