import { expect, test } from "vitest";
import { protobufFields } from "./protobuf.ts";

const read = (...bytes: number[]) => [...protobufFields(Uint8Array.from(bytes))];

test("protobufFields() reads numbers, bytes and fixed widths in their order", () => {
  expect(read(0x08, 0x96, 0x01, 0x12, 0x02, 0x68, 0x69, 0x1d, 1, 2, 3, 4)).toEqual([
    { number: 1, value: 150n },
    { number: 2, value: Uint8Array.from([0x68, 0x69]) },
    { number: 3, value: Uint8Array.from([1, 2, 3, 4]) },
  ]);
  expect(read()).toEqual([]);
});

test.each([
  ["a number is cut off", [0x08, 0x80]],
  ["a number is too long", [0x08, ...Array.from({ length: 10 }, () => 0xff), 1]],
  ["a field is cut off", [0x12, 5, 1]],
  ["a field is cut off", [0x09, 1, 2]],
  ["a field has no number", [0x00, 1]],
  ["wire type 3 is not known", [0x0b]],
])("protobufFields() refuses: %s", (why, bytes) => {
  expect(() => read(...bytes)).toThrow(why);
});
