import fc from "fast-check";
import { expect, test } from "vitest";
import { finalBytes, foldBytes, isProgress, type ShownBytes } from "./numbers.ts";

test.each([
  [
    "honest numbers",
    {},
    { bytesDone: 5, totalBytes: 10 },
    { bytesDone: 5, totalBytes: 10, percent: 50 },
    undefined,
  ],
  ["a total alone", {}, { totalBytes: 10 }, { totalBytes: 10, percent: 0 }, undefined],
  ["bytes without a total", {}, { bytesDone: 5 }, { bytesDone: 5 }, undefined],
  ["nothing", {}, {}, {}, undefined],
  [
    "all of it before the end",
    {},
    { bytesDone: 10, totalBytes: 10 },
    { bytesDone: 9, totalBytes: 10, percent: 90 },
    undefined,
  ],
  [
    "more than there is",
    {},
    { bytesDone: 20, totalBytes: 10 },
    { bytesDone: 9, totalBytes: 10, percent: 90 },
    "it says 20 of 10 bytes are done",
  ],
  [
    "a step back",
    { bytesDone: 50, totalBytes: 100, percent: 50 },
    { bytesDone: 20, totalBytes: 100 },
    { bytesDone: 50, totalBytes: 100, percent: 50 },
    "it went back from 50 bytes to 20",
  ],
  [
    "a scope that grows",
    { bytesDone: 50, totalBytes: 100, percent: 50 },
    { bytesDone: 60, totalBytes: 1000 },
    { bytesDone: 60, totalBytes: 1000, percent: 50 },
    undefined,
  ],
  [
    "percents as text",
    {},
    { bytesDone: "50%" },
    {},
    'it says "50%" bytes are done, which is no number of bytes',
  ],
  ["no number", {}, { bytesDone: Number.NaN }, {}, "it says NaN bytes are done, which is no number of bytes"],
  [
    "less than nothing",
    {},
    { totalBytes: -1 },
    {},
    "it says there are -1 bytes, which is no number of bytes",
  ],
  ["half a byte", {}, { bytesDone: 0.5 }, {}, "it says 0.5 bytes are done, which is no number of bytes"],
])("foldBytes() %s", (_name, before, said, shown, fault) => {
  expect(foldBytes(before, said)).toEqual({ shown, ...(fault !== undefined && { fault }) });
});

test("foldBytes() holds the laws whatever a plugin says: nothing falls, never all before the end", () => {
  const number = fc.oneof(
    fc.integer({ min: -10, max: 1000 }),
    fc.double(),
    fc.constant(undefined),
    fc.constant("7"),
    fc.constant(Number.MAX_SAFE_INTEGER),
  );
  const said = fc.record({ bytesDone: number, totalBytes: number });
  fc.assert(
    fc.property(fc.array(said, { maxLength: 30 }), (all) => {
      let shown: ShownBytes = {};
      for (const one of all) {
        const next = foldBytes(shown, one).shown;
        expect(next.percent ?? 0).toBeGreaterThanOrEqual(shown.percent ?? 0);
        expect(next.percent ?? 0).toBeLessThan(100);
        if (next.totalBytes !== undefined) {
          expect(next.bytesDone ?? 0).toBeLessThan(next.totalBytes);
          expect(next.totalBytes).toBeGreaterThanOrEqual(shown.totalBytes ?? 0);
        }
        shown = next;
      }
    }),
  );
});

test("finalBytes() has done all of it, and says nothing where nothing is known", () => {
  expect(finalBytes({ bytesDone: 5, totalBytes: 10 })).toEqual({
    bytesDone: 10,
    totalBytes: 10,
    percent: 100,
  });
  expect(finalBytes({ bytesDone: 5 })).toEqual({ bytesDone: 5, totalBytes: 5, percent: 100 });
  expect(finalBytes({})).toEqual({});
});

test("isProgress() knows the three phases and nothing else", () => {
  expect(isProgress({ phase: "InProgress" })).toBe(true);
  for (const odd of [undefined, null, "Completed", {}, { phase: "Done" }, { phase: 1 }])
    expect(isProgress(odd)).toBe(false);
});
