import { expect, test } from "vitest";
import { settle, TestClock } from "../../test/harness/clock.ts";
import type { KubeObject } from "../api/index.ts";
import { ApiError } from "./api-error.ts";
import type { Patch } from "./client.ts";
import { EventRecorder } from "./event-recorder.ts";

const object: KubeObject = {
  apiVersion: "x.dev/v1",
  kind: "Job",
  metadata: { name: "a", namespace: "n", uid: "u" },
};
const note = { type: "Warning", reason: "Slow", message: "it is slow" } as const;

function open() {
  const clock = new TestClock(0);
  const created: Record<string, unknown>[] = [];
  const patched: unknown[] = [];
  const errors: unknown[] = [];
  const state = { fail: undefined as Error | undefined, loseAnswer: false };
  const recorder = new EventRecorder({
    clock,
    component: "headway-test",
    onError: (error) => errors.push(error),
    client: {
      async create<T extends KubeObject>(_r: unknown, event: unknown): Promise<T> {
        if (state.fail) throw state.fail;
        const { name } = (event as KubeObject).metadata;
        if (created.some((one) => (one as unknown as KubeObject).metadata.name === name))
          throw new ApiError("create", { code: 409, reason: "AlreadyExists", message: "" });
        created.push(event as Record<string, unknown>);
        if (state.loseAnswer) throw new Error("reset");
        return event as T;
      },
      async patch<T extends KubeObject>(_r: unknown, _name: string, patch: Patch): Promise<T> {
        if (state.fail) throw state.fail;
        patched.push(patch.body);
        return {} as T;
      },
    },
  });
  return { clock, created, patched, errors, state, recorder };
}

test("record() writes an event that kubectl describe can show", async () => {
  const { created, recorder } = open();
  recorder.record(object, note);
  await settle();
  expect(created).toMatchObject([
    {
      apiVersion: "v1",
      kind: "Event",
      metadata: { namespace: "n" },
      involvedObject: { apiVersion: "x.dev/v1", kind: "Job", name: "a", namespace: "n", uid: "u" },
      type: "Warning",
      reason: "Slow",
      message: "it is slow",
      source: { component: "headway-test" },
      firstTimestamp: "1970-01-01T00:00:00Z",
      count: 1,
    },
  ]);
});

test("the same event again is counted, with one write per interval", async () => {
  const { clock, created, patched, recorder } = open();
  for (let i = 0; i < 100; i++) {
    recorder.record(object, note);
    await clock.advance(200);
  }
  await clock.advance(20_000);
  expect(created).toHaveLength(1);
  expect(patched.length).toBeLessThanOrEqual(3);
  expect(patched.at(-1)).toMatchObject({ count: 100 });
});

test("another message, another object or another type is another event", async () => {
  const { created, recorder } = open();
  recorder.record(object, note);
  recorder.record(object, { ...note, message: "it is slower" });
  recorder.record({ ...object, metadata: { ...object.metadata, uid: "v" } }, note);
  recorder.record(object, { ...note, type: "Normal" });
  await settle();
  expect(created).toHaveLength(4);
});

test("an event that expired on the server is written anew", async () => {
  const { clock, created, state, recorder } = open();
  recorder.record(object, note);
  await settle();
  state.fail = new ApiError("patch", { code: 404, reason: "NotFound", message: "" });
  recorder.record(object, note);
  await clock.advance(10_000);
  state.fail = undefined;
  recorder.record(object, note);
  await clock.advance(10_000);
  expect(created.map((event) => event["count"])).toEqual([1, 3]);
});

test("a failure is told and holds up nothing; a long message is cut; the namespace of cluster-wide objects is default", async () => {
  const { created, errors, state, recorder } = open();
  state.fail = new Error("no");
  recorder.record(object, note);
  await settle();
  state.fail = undefined;
  recorder.record({ ...object, metadata: { name: "node" } }, { ...note, message: "x".repeat(5_000) });
  await settle();
  expect(errors).toHaveLength(1);
  expect(created).toMatchObject([{ metadata: { namespace: "default" } }]);
  expect(created[0]?.["message"]).toHaveLength(1_024);
});

test("a new event that is refused is tried again a few times, and then given up", async () => {
  const { clock, created, errors, state, recorder } = open();
  state.fail = new ApiError("create", { code: 500, reason: "InternalError", message: "" });
  recorder.record(object, note);
  await clock.advance(15_000);
  state.fail = undefined;
  await clock.advance(10_000);
  expect([errors.length, created.length]).toEqual([2, 1]);
  state.fail = new Error("no");
  recorder.record(object, { ...note, message: "another" });
  await clock.advance(200_000);
  expect([errors.length, created.length, clock.waiting]).toEqual([7, 1, 0]);
});

test("an event whose answer was lost is not written twice", async () => {
  const { clock, created, patched, state, recorder } = open();
  state.loseAnswer = true;
  recorder.record(object, note);
  await clock.advance(10_000);
  state.loseAnswer = false;
  recorder.record(object, note);
  await clock.advance(20_000);
  expect(created).toHaveLength(1);
  expect(patched).toMatchObject([{ count: 2 }]);
});

test("memory is bounded, and close() leaves no timer", async () => {
  const { clock, recorder } = open();
  for (let i = 0; i < 2_000; i++) {
    recorder.record(object, { ...note, message: `number ${i}` });
    recorder.record(object, { ...note, message: `number ${i}` });
  }
  await settle();
  expect(clock.waiting).toBeLessThanOrEqual(500);
  recorder.close();
  recorder.record(object, note);
  expect(clock.waiting).toBe(0);
});
