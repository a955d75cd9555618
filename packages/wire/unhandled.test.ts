import { EventEmitter } from "node:events";
import { expect, test } from "vitest";
import { guardProcess, unhandledErrors } from "./unhandled.ts";

function guarded() {
  const exits: number[] = [];
  const host = Object.assign(new EventEmitter(), { exit: (code: number) => void exits.push(code) });
  const lines: (readonly unknown[])[] = [];
  const stop = new AbortController();
  const guard = guardProcess(host, (...line) => void lines.push(line), stop.signal);
  return { host, lines, stop, guard, exits };
}

test("guardProcess() logs a rejection with its stack, counts it and goes on", () => {
  const { host, lines, guard } = guarded();
  const before = unhandledErrors().rejection;
  host.emit("unhandledRejection", new Error("nobody awaited"));
  host.emit("unhandledRejection", "a text");
  expect(unhandledErrors().rejection - before).toBe(2);
  expect(lines).toEqual([
    [
      "error",
      "unhandled rejection",
      { error: "nobody awaited", stack: expect.stringContaining("unhandled.test.ts") },
    ],
    ["error", "unhandled rejection", { error: "a text" }],
  ]);
  expect([guard.signal.aborted, guard.failed()]).toEqual([false, false]);
  guard.close();
  expect(host.eventNames()).toEqual([]);
});

test("guardProcess() ends the run in order after an exception that nobody caught", () => {
  const { host, lines, guard, exits } = guarded();
  const before = unhandledErrors().exception;
  host.emit("uncaughtException", new Error("nobody caught"));
  host.emit("uncaughtException", new Error("and another on the way out"));
  expect(unhandledErrors().exception - before).toBe(2);
  expect(lines.map(([, message]) => message)).toEqual(["uncaught exception", "uncaught exception"]);
  expect([guard.signal.aborted, guard.failed(), exits]).toEqual([true, true, []]);
  guard.close();
});

test("guardProcess() fires with the caller's signal, which is no failure", () => {
  const { stop, guard } = guarded();
  stop.abort();
  expect([guard.signal.aborted, guard.failed()]).toEqual([true, false]);
  guard.close();
});
