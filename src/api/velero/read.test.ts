import { expect, test } from "vitest";
import { bytesOf, itemsOf, veleroPhaseOf } from "./read.ts";

test("veleroPhaseOf() reads absent, null and empty as New", () => {
  for (const none of [undefined, null, {}, { phase: null }, { phase: "" as const }]) {
    expect(veleroPhaseOf(none)).toBe("New");
  }
  expect(veleroPhaseOf({ phase: "Completed" })).toBe("Completed");
});

test.each([
  [undefined, { done: 0 }],
  [null, { done: 0 }],
  [{}, { done: 0 }],
  [{ totalBytes: 6 }, { done: 0, total: 6 }],
  [{ bytesDone: 6, totalBytes: 0 }, { done: 6 }],
  [
    { bytesDone: 3, totalBytes: 6 },
    { done: 3, total: 6 },
  ],
])("bytesOf(%j) is %j", (progress, want) => {
  expect(bytesOf(progress)).toEqual(want);
});

test("itemsOf() reads backups and restores", () => {
  expect(itemsOf({ itemsBackedUp: 2, totalItems: 5 })).toEqual({ done: 2, total: 5 });
  expect(itemsOf({ itemsRestored: 3, totalItems: 5 })).toEqual({ done: 3, total: 5 });
  expect(itemsOf({ totalItems: 5 })).toEqual({ done: 0, total: 5 });
  expect(itemsOf(null)).toEqual({ done: 0 });
});
