import fc from "fast-check";
import { expect, test } from "vitest";
import { Lines } from "./lines.ts";

function split(...chunks: Uint8Array[]): string[] {
  const found: string[] = [];
  const lines = new Lines((line) => found.push(line));
  for (const chunk of chunks) lines.push(chunk);
  lines.end();
  return found;
}

test("Lines splits at every kind of end and keeps a last line without one", () => {
  expect(split(Buffer.from("a\r\nb\rc\n\nd"))).toEqual(["a", "b", "c", "d"]);
});

test("however the output is cut into pieces, the lines are the same", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.array(fc.nat(40)), (text, cuts) => {
      const bytes = Buffer.from(text.toWellFormed());
      const pieces: Buffer[] = [];
      let at = 0;
      for (const size of cuts) {
        pieces.push(bytes.subarray(at, at + size));
        at += size;
      }
      expect(split(...pieces, bytes.subarray(at))).toEqual(split(bytes));
    }),
  );
});

test("a line of a megabyte in pieces of 64 KiB arrives whole, and one without end is cut", () => {
  const piece = Buffer.alloc(65_536, "x");
  expect(split(...Array.from({ length: 16 }, () => piece)).map((line) => line.length)).toEqual([1_048_576]);
  const endless = split(...Array.from({ length: 100 }, () => piece), Buffer.from("\nafter"));
  expect(endless.map((line) => line.length)).toEqual([4 * 1024 * 1024, 5]);
});
