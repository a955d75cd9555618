import { expect, test } from "vitest";
import { settle, TestClock } from "../../test/harness/clock.ts";
import type { KubeObject } from "../api/index.ts";
import { AppError } from "../errors.ts";
import { ApiError } from "./api-error.ts";
import { steady, stretching, writeBudget } from "./budget.ts";
import type { Patch } from "./client.ts";
import { type StatusTarget, StatusWriter, type StatusWriterOptions } from "./status-writer.ts";

const resource = { group: "x.dev", version: "v1", plural: "jobs", kind: "Job", namespaced: true };
const target = (name: string, more: Partial<StatusTarget> = {}): StatusTarget => ({
  resource,
  namespace: "n",
  name,
  ...more,
});

interface Write {
  readonly at: number;
  readonly name: string;
  readonly body: unknown;
}

/** A server of objects that fails when told to. */
function open(options: Partial<StatusWriterOptions> = {}) {
  const clock = new TestClock(0);
  const writes: Write[] = [];
  const state = {
    fail: undefined as Error | undefined,
    uid: "u1",
    requests: 0,
    block: undefined as Promise<void> | undefined,
  };
  const writer = new StatusWriter({
    clock,
    random: () => 1,
    client: {
      async patch<T extends KubeObject>(_r: unknown, name: string, patch: Patch): Promise<T> {
        state.requests += 1;
        await state.block;
        if (state.fail !== undefined) throw state.fail;
        writes.push({ at: clock.now(), name, body: patch.body });
        return { metadata: { name, uid: state.uid } } as T;
      },
      async get<T extends KubeObject>(): Promise<T> {
        return { metadata: { uid: state.uid } } as T;
      },
    },
    ...options,
  });
  return { clock, writes, state, writer };
}

const answer = (code: number, reason = "") => new ApiError("patch", { code, reason, message: "no" });
const done = (n: number) => ({ status: { done: n } });

test("offer() writes the first value at once and then the newest of each interval", async () => {
  const { clock, writes, writer } = open();
  for (let n = 0; n < 35; n++) {
    writer.offer(target("a"), done(n));
    await clock.advance(100);
  }
  expect(writes).toEqual([
    { at: 0, name: "a", body: done(0) },
    { at: 1_000, name: "a", body: done(9) },
    { at: 2_000, name: "a", body: done(19) },
    { at: 3_000, name: "a", body: done(29) },
  ]);
});

test("10,000 offers for 50 objects in 10 s cost the budget, to the unit", async () => {
  const { clock, writes, writer } = open();
  for (let n = 0; n < 200; n++) {
    for (let i = 0; i < 50; i++) writer.offer(target(`o${i}`), done(n), n < 100 ? "One" : "Two");
    await clock.advance(n < 199 ? 50 : 49);
  }
  await Promise.all(Array.from({ length: 50 }, (_, i) => writer.finish(target(`o${i}`), done(200))));
  const budget = writeBudget(10_000, 1, stretching) * 50;
  expect(writes).toHaveLength(budget);
  expect(writer.counts).toEqual({ offers: 10_050, writes: budget, failures: 0, dropped: 0 });
  expect(clock.waiting).toBe(0);
});

test("a target's own interval counts", async () => {
  const { clock, writes, writer } = open();
  for (let n = 0; n < 299; n++) {
    writer.offer(target("pvb", { interval: steady(10_000) }), done(n));
    await clock.advance(100);
  }
  expect(writes.map((write) => write.at)).toEqual([0, 10_000, 20_000]);
});

test("a phase change is written without waiting, beside the interval", async () => {
  const { clock, writes, writer } = open();
  writer.offer(target("a"), { status: { phase: "New" } }, "New");
  await clock.advance(300);
  writer.offer(target("a"), { status: { phase: "Running" } }, "Running");
  writer.offer(target("a"), done(1), "Running");
  await clock.advance(2_000);
  expect(writes.map(({ at, body }) => [at, body])).toEqual([
    [0, { status: { phase: "New" } }],
    [300, { status: { phase: "Running" } }],
    [1_000, done(1)],
  ]);
});

test("values folded together keep what the newer one does not speak of", async () => {
  const { clock, writes, writer } = open();
  writer.offer(target("a"), done(0));
  await clock.advance(100);
  writer.offer(target("a"), { status: { warnings: 1 } });
  writer.offer(target("a"), done(2));
  await clock.advance(1_000);
  expect(writes.at(-1)?.body).toEqual({ status: { warnings: 1, done: 2 } });
});

test("finish() resolves when the last value is stored, also while another write is on its way", async () => {
  const { clock, writes, state, writer } = open();
  const gate = Promise.withResolvers<void>();
  state.block = gate.promise;
  writer.offer(target("a"), done(1));
  await settle();
  let stored = false;
  const finished = writer.finish(target("a"), done(2)).then(() => {
    stored = true;
  });
  await clock.advance(5_000);
  expect(stored).toBe(false);
  gate.resolve();
  await finished;
  expect(writes.map((write) => write.body)).toEqual([done(1), done(2)]);
  writer.offer(target("a"), done(1));
  await clock.advance(60_000);
  expect(writes, "a late offer does not undo the end").toHaveLength(2);
});

test("a server that is away is felt for by one write at a time, and gets the newest of everything", async () => {
  const { clock, writes, state, writer } = open();
  state.fail = new AppError("KUBE_UNREACHABLE", "gone");
  for (let n = 0; n < 600; n++) {
    for (let i = 0; i < 50; i++) writer.offer(target(`o${i}`), done(n));
    await clock.advance(1_000);
  }
  expect(writes).toEqual([]);
  expect(state.requests, "ten minutes, at most 16 at first, then one each 15 s").toBeLessThan(70);
  state.fail = undefined;
  await clock.advance(15_000);
  expect(new Set(writes.map((write) => write.name)).size).toBe(50);
  expect(writes.every((write) => JSON.stringify(write.body) === JSON.stringify(done(599)))).toBe(true);
  expect(writer.counts.failures).toBe(state.requests - writes.length);
});

test("store() writes at once with all that waits, and answers with the object as it is then", async () => {
  const { clock, writes, writer } = open();
  writer.offer(target("a"), done(1));
  writer.offer(target("a"), { status: { more: "waits" } });
  await settle();
  const stored = await writer.store(target("a"), done(2));
  expect(stored).toMatchObject({ metadata: { name: "a" } });
  expect(writes.map(({ at, body }) => ({ at, body }))).toEqual([
    { at: 0, body: { status: { done: 1 } } },
    { at: 0, body: { status: { more: "waits", done: 2 } } },
  ]);
  writer.offer(target("a"), done(3));
  expect(writes).toHaveLength(2);
  await clock.advance(1_000);
  await settle();
  expect(writes.at(-1)?.body).toEqual({ status: { done: 3 } });
});

test("store() answers with nothing when the object is gone, and with the error when it is refused", async () => {
  const { state, writer } = open();
  state.fail = answer(404, "NotFound");
  expect(await writer.store(target("a"), done(1))).toBeUndefined();
  state.fail = answer(422, "Invalid");
  await expect(writer.store(target("b"), done(1))).rejects.toThrow("no");
});

test("finish() goes on trying while the server is away", async () => {
  const { clock, writes, state, writer } = open();
  state.fail = answer(503);
  const finished = writer.finish(target("a"), done(9));
  await clock.advance(120_000);
  expect(writes).toEqual([]);
  state.fail = undefined;
  await clock.advance(15_000);
  await finished;
  expect(writes.map((write) => write.body)).toEqual([done(9)]);
});

test("a conflict of one object holds up no other, and is tried again", async () => {
  const { clock, writes, state, writer } = open();
  state.fail = answer(409, "Conflict");
  writer.offer(target("a", { uid: "u1" }), done(1));
  await settle();
  state.fail = undefined;
  writer.offer(target("b"), done(1));
  await settle();
  expect(writes.map((write) => write.name)).toEqual(["b"]);
  await clock.advance(500);
  expect(writes.map((write) => write.name)).toEqual(["b", "a"]);
  expect(writes[1]?.body).toEqual({ status: { done: 1 }, metadata: { uid: "u1" } });
});

test.each([
  ["is deleted", answer(404, "NotFound"), "u1"],
  ["has a successor of its name", answer(409, "Conflict"), "u2"],
  ["has a successor, told as an immutable field", answer(422, "Invalid"), "u2"],
])("an object that %s is dropped, and its end resolves", async (_name, failure, uid) => {
  const { clock, writes, state, writer } = open();
  state.fail = failure;
  state.uid = uid;
  await writer.finish(target("a", { uid: "u1" }), done(1));
  expect([writes, clock.waiting]).toEqual([[], 0]);
  expect(writer.counts).toMatchObject({ failures: 1, dropped: 1 });
});

test("a status that the schema refuses is dropped and told", async () => {
  const dropped: string[] = [];
  const { state, writer } = open({ onDrop: ({ name }) => dropped.push(name) });
  state.fail = answer(422, "Invalid");
  await expect(writer.finish(target("a"), done(1))).rejects.toMatchObject({ code: "KUBE_API" });
  expect(dropped).toEqual(["a"]);
});

test("flush() writes what waits for its interval; its signal ends the waiting only", async () => {
  const { writes, state, writer } = open();
  writer.offer(target("a"), done(1));
  await settle();
  writer.offer(target("a"), done(2));
  await writer.flush();
  expect(writes.map((write) => write.body)).toEqual([done(1), done(2)]);
  state.fail = answer(500);
  writer.offer(target("b"), done(1));
  const stop = new AbortController();
  const flushed = writer.flush(stop.signal);
  stop.abort(new Error("enough"));
  await expect(flushed).rejects.toThrow("enough");
  writer.close();
});

test("forget() writes what waits and keeps nothing", async () => {
  const { clock, writes, writer } = open();
  writer.offer(target("a"), done(1));
  await settle();
  writer.offer(target("a"), done(2));
  await writer.forget(target("a"));
  expect(writes).toHaveLength(2);
  writer.offer(target("a"), done(3));
  await settle();
  expect(writes, "a new start is written at once").toHaveLength(3);
  expect(clock.waiting).toBe(0);
});

test("drop() writes nothing more of what waits", async () => {
  const { clock, writes, writer } = open();
  writer.offer(target("a"), done(1));
  await settle();
  writer.offer(target("a"), done(2));
  writer.drop(target("a"));
  await clock.advance(20_000);
  expect(writes).toHaveLength(1);
  writer.offer(target("a"), done(3));
  await settle();
  expect(writes, "a new start is written at once").toHaveLength(2);
  expect(clock.waiting).toBe(0);
});

test("close() leaves no timer and rejects who waits", async () => {
  const { clock, state, writer } = open();
  state.fail = answer(500);
  const finished = writer.finish(target("a"), done(1));
  finished.catch(() => undefined);
  await settle();
  writer.close();
  await expect(finished).rejects.toThrow("closed");
  writer.offer(target("b"), done(1));
  expect(clock.waiting).toBe(0);
});

test.each([86_400_000, -86_400_000])("a clock that jumps by %j ms stops no write", async (byMs) => {
  const { clock, writes, writer } = open();
  writer.offer(target("a"), done(1));
  await settle();
  clock.jump(byMs);
  writer.offer(target("a"), done(2));
  await clock.advance(2_000);
  expect(writes.map(({ body }) => body)).toEqual([done(1), done(2)]);
  writer.close();
});
