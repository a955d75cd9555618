import { expect, test } from "vitest";
import { chunksOf, cutInto, sendParts } from "./chunks.ts";

async function* of(...sizes: number[]): AsyncGenerator<Uint8Array> {
  for (const [i, size] of sizes.entries()) yield Buffer.alloc(size, i + 1);
}

test.each([
  ["nothing", of(), []],
  ["empty chunks", of(0, 0), []],
  ["less than one", of(3), [3]],
  ["exactly one", of(4, 6), [10]],
  ["chunks that cross the border", of(7, 7, 7), [10, 10, 1]],
  ["a chunk of many pieces", of(35), [10, 10, 10, 5]],
])("chunksOf() cuts %s", async (_name, body, want) => {
  expect((await Array.fromAsync(chunksOf(body, 10))).map((piece) => piece.length)).toEqual(want);
});

test("chunksOf() keeps the bytes, also when pieces grow", async () => {
  const whole = Buffer.from(Array.from({ length: 300_000 }, (_, i) => i % 251));
  const pieces = await Array.fromAsync(chunksOf(whole, 200_000));
  expect(pieces.map((piece) => piece.length)).toEqual([200_000, 100_000]);
  expect(Buffer.concat(pieces).equals(whole)).toBe(true);
});

test.each([
  ["nothing", of(), 0],
  ["what fits", of(4, 6), 10],
  ["what does not", of(7, 7, 7), [10, 10, 1]],
])("cutInto() of %s", async (_name, body, want) => {
  const cut = await cutInto(body, 10);
  const sizes =
    "whole" in cut ? cut.whole.length : (await Array.fromAsync(cut.parts)).map((one) => one.length);
  expect(sizes).toEqual(want);
});

test("sendParts() sends so many at a time, each with its number", async () => {
  let [now, most] = [0, 0];
  const sent: number[] = [];
  const count = await sendParts(of(1, 2, 3, 4), 2, async (part, index) => {
    now += 1;
    most = Math.max(most, now);
    await new Promise((resolve) => setImmediate(resolve));
    sent[index] = part.length;
    now -= 1;
  });
  expect({ count, most, sent }).toEqual({ count: 4, most: 2, sent: [1, 2, 3, 4] });
});

test("sendParts() fails with the first failure when the others have ended", async () => {
  const ended: number[] = [];
  const failing = sendParts(of(1, 1, 1), 3, async (_part, index) => {
    for (let i = 0; i <= index; i += 1) await new Promise((resolve) => setImmediate(resolve));
    ended.push(index);
    if (index === 0) throw new Error("no room");
  });
  await expect(failing).rejects.toThrow("no room");
  expect(ended).toEqual([0, 1, 2]);
});
