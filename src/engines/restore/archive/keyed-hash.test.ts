import { expect, test } from "vitest";
import { KeyedHash } from "./keyed-hash.ts";

const key = Uint32Array.of(0x03020100, 0x07060504);

test("KeyedHash tells names, groups, lengths and keys apart", () => {
  const hash = new KeyedHash(key);
  const other = new KeyedHash(Uint32Array.of(1, 2));
  const seen = new Set<number>();
  const names = ["", "\0", "\0\0", "a", "b", "ab", "ba", "abcd", "abcde", "x".repeat(255)];
  for (const name of names) {
    for (const group of [0, 1, 2 ** 31]) {
      const bytes = Buffer.from(name);
      expect(hash.of(group, bytes)).toBe(hash.of(group, Buffer.from(name)));
      expect(hash.of(group, bytes)).not.toBe(other.of(group, bytes));
      seen.add(hash.of(group, bytes));
    }
  }
  expect(seen.size).toBe(names.length * 3);
});

test("KeyedHash spreads names evenly over slots", () => {
  const hash = new KeyedHash();
  const slots = new Uint32Array(256);
  for (let n = 0; n < 25_600; n += 1) {
    const slot = hash.of(0, Buffer.from(`name-${n}`)) & 255;
    slots[slot] = (slots[slot] ?? 0) + 1;
  }
  expect(Math.min(...slots)).toBeGreaterThan(40);
  expect(Math.max(...slots)).toBeLessThan(180);
});

test("two processes do not hash alike", () => {
  const name = Buffer.from("name");
  const all = new Set(Array.from({ length: 8 }, () => new KeyedHash().of(0, name)));
  expect(all.size).toBeGreaterThan(6);
});
