import { expect, test } from "vitest";
import { Limiter } from "./limiter.ts";

test("Limiter lets the next one in when a place is given back, in order", async () => {
  const limiter = new Limiter(2);
  const order: string[] = [];
  const a = await limiter.enter();
  await limiter.enter();
  const third = limiter.enter().then(() => order.push("third"));
  const fourth = limiter.enter().then(() => order.push("fourth"));
  await Promise.resolve();
  expect(order).toEqual([]);
  a();
  a(); // a second call gives nothing back
  await third;
  expect(order).toEqual(["third"]);
  void fourth;
});

test("Limiter forgets a caller that gave up", async () => {
  const limiter = new Limiter(1);
  const leave = await limiter.enter();
  const gaveUp = new AbortController();
  const waiting = limiter.enter(gaveUp.signal);
  gaveUp.abort(new Error("enough"));
  await expect(waiting).rejects.toThrow("enough");
  leave();
  expect(await limiter.enter()).toBeTypeOf("function");
});

test("Limiter refuses a signal that has already fired", async () => {
  await expect(new Limiter(1).enter(AbortSignal.abort(new Error("late")))).rejects.toThrow("late");
});
