import fc from "fast-check";
import { expect, test } from "vitest";
import { ReadAhead } from "./ahead.ts";

const whole = Uint8Array.from({ length: 1_000_000 }, (_, at) => (at * 31) % 251);

function counted() {
  const reads: number[] = [];
  const ahead = new ReadAhead((offset, length) => {
    reads.push(length);
    return Promise.resolve(whole.slice(offset, offset + length));
  });
  return { ahead, reads };
}

test("ReadAhead.read() reads pieces in order with few and growing reads", async () => {
  const { ahead, reads } = counted();
  for (let at = 0; at < whole.length; at += 500) {
    expect(await ahead.read(at, 500)).toEqual(whole.subarray(at, at + 500));
  }
  expect(reads.length).toBeLessThan(10);
  expect(Math.max(...reads)).toBe(256 * 1024);
});

test("ReadAhead.read() keeps its reads small after a jump, and takes a large piece whole", async () => {
  const { ahead, reads } = counted();
  for (const at of [900_000, 100, 800_000, 200]) await ahead.read(at, 50);
  expect(new Set(reads)).toEqual(new Set([16 * 1024]));
  expect(await ahead.read(0, 600_000)).toEqual(whole.subarray(0, 600_000));
});

test("ReadAhead.read() gives callers of one moment each their own piece", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 40_000 })), { maxLength: 40 }),
      async (pieces) => {
        const { ahead } = counted();
        const got = await Promise.all(pieces.map(([at, length]) => ahead.read(at, length)));
        got.forEach((piece, n) => {
          const [at, length] = pieces[n] ?? [0, 0];
          expect(Buffer.compare(piece, whole.subarray(at, at + length))).toBe(0);
        });
      },
    ),
    { numRuns: 50 },
  );
});

test("ReadAhead.read() forgets a read that failed", async () => {
  let fails = true;
  const ahead = new ReadAhead((offset, length) =>
    fails ? Promise.reject(new Error("no disk")) : Promise.resolve(whole.slice(offset, offset + length)),
  );
  await expect(ahead.read(10, 5)).rejects.toThrow("no disk");
  fails = false;
  expect(await ahead.read(12, 5)).toEqual(whole.subarray(12, 17));
});
