import { expect, test } from "vitest";
import { settle } from "../../test/harness/clock.ts";
import type { KubeObject } from "../api/index.ts";
import { Canceled, Tasks } from "./tasks.ts";

type Run = KubeObject & { readonly ended?: boolean };
const run = (uid: string, ended = false): Run => ({
  apiVersion: "velero.io/v1",
  kind: "Backup",
  metadata: { name: "b", namespace: "velero", uid },
  ended,
});
const { signal } = new AbortController();

function open(seen: () => Run | undefined = () => undefined) {
  const told: string[] = [];
  const tasks = new Tasks<Run>({
    isEnded: ({ ended }) => ended === true,
    seen,
    onSettled: ({ metadata }) => void told.push(`settled ${metadata.uid}`),
    onError: ({ metadata }, error) => void told.push(`${metadata.uid}: ${(error as Error).message}`),
  });
  return { tasks, told };
}

test("a run that ended is not begun again while the watch shows it as it was", async () => {
  const { tasks, told } = open(() => run("u1"));
  tasks.start(run("u1"), async () => undefined, signal);
  expect(tasks.isRunning(run("u1"))).toBe(true);
  await tasks.idle();
  expect(told).toEqual(["settled u1"]);
  expect(tasks.isOpen(run("u1"))).toBe(false);
  tasks.changed(run("u1"), run("u1"));
  expect(tasks.isOpen(run("u1")), "a change that does not end it is old news").toBe(false);
  tasks.changed(run("u1", true), run("u1"));
  expect(tasks.isOpen(run("u1", true))).toBe(true);
});

test("an object of the same name with another uid is another one", async () => {
  const { tasks } = open(() => run("u2"));
  tasks.start(run("u1"), async () => undefined, signal);
  await tasks.idle();
  expect(tasks.isOpen(run("u2"))).toBe(true);
});

test("stop() ends the run with its reason, and only that one", async () => {
  const { tasks, told } = open();
  const reasons: unknown[] = [];
  const wait = (inner: AbortSignal) =>
    new Promise<void>((resolve) =>
      inner.addEventListener("abort", () => {
        reasons.push(inner.reason);
        resolve();
      }),
    );
  tasks.start(run("u1"), wait, signal);
  tasks.start(run("u2"), wait, signal);
  tasks.stop(run("u1"), new Canceled("canceled by request"));
  await settle();
  expect(reasons).toMatchObject([{ message: "canceled by request" }]);
  expect([tasks.isRunning(run("u1")), tasks.isRunning(run("u2")), tasks.size]).toEqual([false, true, 1]);
  tasks.stop(run("u2"), new Canceled("the Backup was deleted"));
  await tasks.idle();
  expect(told).toEqual(["settled u1", "settled u2"]);
});

test("a run that fails is told, and is open to be looked at again", async () => {
  const { tasks, told } = open(() => run("u1"));
  tasks.start(run("u1"), () => Promise.reject(new Error("no status could be written")), signal);
  await tasks.idle();
  expect(told).toEqual(["u1: no status could be written", "settled u1"]);
  expect(tasks.isOpen(run("u1"))).toBe(true);
});

test("a run that ends with the reason it was stopped for has not failed", async () => {
  const { tasks, told } = open();
  const wait = (inner: AbortSignal) =>
    new Promise<void>((_resolve, reject) =>
      inner.addEventListener("abort", () => reject(inner.reason as Error)),
    );
  tasks.start(run("u1"), wait, signal);
  tasks.stop(run("u1"), new Canceled("deleted"));
  await tasks.idle();
  expect(told).toEqual(["settled u1"]);
});

test("a failure after the process was told to end is nobody's news", async () => {
  const stop = new AbortController();
  const { tasks, told } = open();
  tasks.start(run("u1"), async (inner) => inner.throwIfAborted(), stop.signal);
  stop.abort();
  tasks.start(run("u2"), async (inner) => inner.throwIfAborted(), stop.signal);
  await tasks.idle();
  expect(told.filter((line) => line.includes(":"))).toEqual([]);
});
