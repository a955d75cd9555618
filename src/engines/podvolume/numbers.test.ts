import fc from "fast-check";
import { expect, test } from "vitest";
import { type Bytes, finalBytes, foldBytes } from "./numbers.ts";

test.each<[string, Bytes, { done: number; total?: number }, Bytes]>([
  ["nothing yet", {}, { done: 0 }, {}],
  ["counting", {}, { done: 5 }, { bytesDone: 5 }],
  ["the first total", {}, { done: 0, total: 100 }, { totalBytes: 100 }],
  ["moving", { bytesDone: 5, totalBytes: 100 }, { done: 50, total: 100 }, { bytesDone: 50, totalBytes: 100 }],
  [
    "a total that grows",
    { bytesDone: 5, totalBytes: 100 },
    { done: 6, total: 200 },
    { bytesDone: 6, totalBytes: 200 },
  ],
  [
    "a total that shrinks",
    { bytesDone: 5, totalBytes: 100 },
    { done: 6, total: 50 },
    { bytesDone: 6, totalBytes: 100 },
  ],
  [
    "a second life",
    { bytesDone: 90, totalBytes: 100 },
    { done: 1, total: 10 },
    { bytesDone: 90, totalBytes: 100 },
  ],
  ["all of it, but not the end", {}, { done: 100, total: 100 }, { bytesDone: 99, totalBytes: 100 }],
  [
    "more than all",
    { bytesDone: 99, totalBytes: 100 },
    { done: 120, total: 100 },
    { bytesDone: 99, totalBytes: 100 },
  ],
  [
    "nonsense",
    { bytesDone: 1, totalBytes: 9 },
    { done: Number.NaN, total: -4 },
    { bytesDone: 1, totalBytes: 9 },
  ],
])("foldBytes(): %s", (_name, before, said, want) => {
  expect(foldBytes(before, said)).toEqual(want);
});

test("foldBytes() never falls and never shows the whole", () => {
  const said = fc.record(
    { done: fc.oneof(fc.nat(100), fc.double()), total: fc.oneof(fc.nat(100), fc.double()) },
    { requiredKeys: ["done"] },
  );
  fc.assert(
    fc.property(fc.array(said), (all) => {
      let shown: Bytes = {};
      for (const one of all) {
        const next = foldBytes(shown, one);
        expect(next.bytesDone ?? 0).toBeGreaterThanOrEqual(shown.bytesDone ?? 0);
        expect(next.totalBytes ?? 0).toBeGreaterThanOrEqual(shown.totalBytes ?? 0);
        if (next.totalBytes !== undefined) expect(next.bytesDone ?? 0).toBeLessThan(next.totalBytes);
        shown = next;
      }
    }),
  );
});

test("finalBytes() is the whole, and leaves zeros out", () => {
  expect(finalBytes(7)).toEqual({ totalBytes: 7, bytesDone: 7 });
  expect(finalBytes(0)).toEqual({});
});
