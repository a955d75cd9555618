import fc from "fast-check";
import { expect, test } from "vitest";
import { byteLength, byteSlice, compareText, fromBytes, joined, toBytes } from "./text.ts";

const bytes = fc.uint8Array({ maxLength: 20 });

test("fromBytes() and toBytes() are each other's opposite, whatever the bytes", () => {
  fc.assert(
    fc.property(bytes, (all) => {
      const text = fromBytes(all);
      expect(Array.from(toBytes(text))).toEqual(Array.from(all));
      expect(byteLength(text)).toBe(all.length);
      expect(joined(text)).toBe(text);
    }),
  );
});

test("a text that was cut anywhere is whole again when it is joined", () => {
  fc.assert(
    fc.property(bytes, fc.nat(20), (all, at) => {
      const text = fromBytes(all);
      const pieces = byteSlice(text, 0, at) + byteSlice(text, at, all.length);
      expect(joined(pieces)).toBe(text);
    }),
  );
});

test("compareText() orders as bytes do", () => {
  fc.assert(
    fc.property(bytes, bytes, (a, b) => {
      expect(compareText(fromBytes(a), fromBytes(b))).toBe(Math.sign(Buffer.compare(a, b)));
    }),
  );
});
