import { expect, test } from "vitest";
import { chunksOf } from "./chunks.ts";

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
