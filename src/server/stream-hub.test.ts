import { expect, test } from "vitest";
import { TestClock } from "../../test/harness/clock.ts";
import { anOperation, FakeObserver } from "../../test/harness/fake-observer.ts";
import { StreamHub } from "./stream-hub.ts";

function open() {
  const clock = new TestClock();
  const observer = new FakeObserver();
  return { clock, observer, hub: () => new StreamHub({ observer, clock }) };
}

/** Collects what a stream gives, as long as it gives at once. */
async function drain(stream: ReadableStreamDefaultReader<Uint8Array>): Promise<string> {
  let text = "";
  for (;;) {
    const none = new Promise<undefined>((resolve) => setImmediate(() => resolve(undefined)));
    const next = await Promise.race([pending(stream), none]);
    if (!next || next.done) return text;
    left.delete(stream);
    text += Buffer.from(next.value).toString();
  }
}

type Read = Awaited<ReturnType<ReadableStreamDefaultReader<Uint8Array>["read"]>>;
const left = new Map<object, Promise<Read>>();

/** A read that found nothing is asked again by the next drain, so that nothing is lost. */
function pending(stream: ReadableStreamDefaultReader<Uint8Array>): Promise<Read> {
  const known = left.get(stream) ?? stream.read();
  left.set(stream, known);
  return known;
}

const names = (text: string) => [...text.matchAll(/"name":"(\w+)"/g)].map(([, name]) => name);
const lastId = (text: string) => [...text.matchAll(/^id: (.*)$/gm)].at(-1)?.[1];

test("StreamHub sends everything first, the newest first, then what changes", async () => {
  const { clock, observer, hub } = open();
  observer.set(anOperation("old"));
  observer.set(anOperation("new"));
  const streams = hub();
  const reader = streams.open(undefined, undefined).getReader();
  const first = await drain(reader);
  expect(first).toContain("event: reset");
  expect(names(first)).toEqual(["new", "old"]);
  observer.set(anOperation("old", { fraction: 0.1 }));
  observer.set(anOperation("old", { fraction: 0.2 }));
  await clock.advance(100);
  const next = await drain(reader);
  expect(names(next), "newest frame per object").toEqual(["old"]);
  expect(next).toContain('"fraction":0.2');
  observer.delete("backup/velero/old");
  await clock.advance(100);
  expect(await drain(reader)).toContain('event: gone\ndata: {"id":"backup/velero/old"}');
  await clock.advance(15_000);
  expect(await drain(reader)).toContain(": ping");
  await reader.cancel();
  expect(streams.listeners).toBe(0);
  streams.close();
  expect(clock.waiting).toBe(0);
});

test("StreamHub continues by id, and starts afresh for an id of another life", async () => {
  const { observer, hub } = open();
  observer.set(anOperation("a"));
  observer.set(anOperation("b"));
  const streams = hub();
  const id = lastId(await drain(streams.open(undefined, undefined).getReader()));
  expect(id).toBeDefined();
  observer.set(anOperation("c"));
  observer.delete("backup/velero/a");
  const again = await drain(streams.open(id, undefined).getReader());
  expect(again).not.toContain("event: reset");
  expect(names(again)).toEqual(["c"]);
  expect(again).toContain("event: gone");
  for (const odd of ["other-5", "nonsense", `${id}9999`, ""]) {
    const fresh = await drain(streams.open(odd, undefined).getReader());
    expect(fresh).toContain("event: reset");
    expect(names(fresh)).toEqual(["c", "b"]);
  }
  streams.close();
});

test("StreamHub keeps one who was away too long from missing an end", async () => {
  const { observer, hub } = open();
  const streams = hub();
  observer.set(anOperation("a"));
  const id = lastId(await drain(streams.open(undefined, undefined).getReader()));
  for (let i = 0; i < 1_001; i++) {
    observer.set(anOperation(`x${i}`));
    observer.delete(`backup/velero/x${i}`);
  }
  expect(await drain(streams.open(id, undefined).getReader())).toContain("event: reset");
  streams.close();
});

test("StreamHub gives only the namespace that was asked for", async () => {
  const { observer, hub } = open();
  observer.set(anOperation("a"));
  observer.set({ ...anOperation("b"), id: "backup/other/b" });
  const streams = hub();
  expect(names(await drain(streams.open(undefined, "other").getReader()))).toEqual(["b"]);
  streams.close();
});

test("StreamHub ends a stream whose right is gone, and asks no more for one that left", async () => {
  const { observer, hub } = open();
  const streams = hub();
  const ends: (() => void)[] = [];
  let released = 0;
  const allowed = (end: () => void) => {
    ends.push(end);
    return () => void (released += 1);
  };
  const [first, second] = [0, 1].map(() => streams.open(undefined, undefined, allowed).getReader());
  ends[0]?.();
  observer.set(anOperation("later"));
  let text = "";
  for (;;) {
    const next = await first?.read();
    if (!next || next.done) break;
    text += Buffer.from(next.value).toString();
  }
  expect(names(text)).toEqual([]);
  expect([streams.listeners, released]).toEqual([1, 1]);
  await second?.cancel();
  ends[1]?.();
  expect([streams.listeners, released]).toEqual([0, 3]);
  streams.close();
});

test("StreamHub does not pile up text for a listener that does not read", async () => {
  const { clock, observer, hub } = open();
  const streams = hub();
  const message = "x".repeat(10_000);
  const slow = streams.open(undefined, undefined).getReader();
  for (let round = 0; round < 50; round++) {
    for (let i = 0; i < 20; i++) observer.set(anOperation(`n${i}`, { message, fraction: round / 100 }));
    await clock.advance(100);
  }
  const text = await drain(slow);
  // 10 MB were told; the slow one gets what its connection held and then the newest of each.
  expect(text.length).toBeLessThan(600_000);
  const last = new Map([...text.matchAll(/"name":"(\w+)".*?"fraction":([\d.]+)/g)].map(([, n, f]) => [n, f]));
  expect(last.size).toBe(20);
  expect(new Set(last.values())).toEqual(new Set(["0.49"]));
  streams.close();
});
