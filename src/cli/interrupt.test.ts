import { expect, test } from "vitest";
import { endings, Interrupted, interruptCode } from "./interrupt.ts";

test.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const)("interruptCode() of %s is %i, as shells count", (name, code) => {
  expect(endings).toContain(name);
  const stop = new AbortController();
  stop.abort(new Interrupted(name));
  expect(interruptCode(stop.signal)).toBe(code);
});

test("interruptCode() of another end is that of an interrupt", () => {
  expect(interruptCode(AbortSignal.abort())).toBe(130);
});
