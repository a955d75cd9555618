import { expect, test } from "vitest";
import { isProgress, judge } from "./said.ts";

const half = { unit: "bytes", done: 50, total: 100 } as const;

test.each([
  ["honest numbers", { bytesDone: 5, totalBytes: 10 }, undefined, { done: 5, total: 10 }, undefined],
  ["a total alone", { totalBytes: 10 }, undefined, { done: 0, total: 10 }, undefined],
  ["bytes without a total", { bytesDone: 5 }, undefined, { done: 5 }, undefined],
  ["nothing", {}, undefined, undefined, undefined],
  ["all of it", { bytesDone: 10, totalBytes: 10 }, undefined, { done: 10, total: 10 }, undefined],
  ["a scope that grows", { bytesDone: 60, totalBytes: 1000 }, half, { done: 60, total: 1000 }, undefined],
  [
    "more than there is",
    { bytesDone: 20, totalBytes: 10 },
    undefined,
    undefined,
    "it says 20 of 10 bytes are done",
  ],
  ["a step back", { bytesDone: 20, totalBytes: 100 }, half, undefined, "it went back from 50 bytes to 20"],
  [
    "percents as text",
    { bytesDone: "50%" },
    half,
    undefined,
    'it says "50%" bytes are done, which is no number of bytes',
  ],
  [
    "no number",
    { bytesDone: Number.NaN },
    half,
    undefined,
    "it says NaN bytes are done, which is no number of bytes",
  ],
  [
    "less than nothing",
    { totalBytes: -1 },
    half,
    undefined,
    "it says there are -1 bytes, which is no number of bytes",
  ],
  [
    "half a byte",
    { bytesDone: 0.5 },
    half,
    undefined,
    "it says 0.5 bytes are done, which is no number of bytes",
  ],
] as const)("judge() %s", (_name, said, before, numbers, fault) => {
  expect(judge(said, before)).toEqual({
    ...(numbers && { sample: { unit: "bytes", ...numbers } }),
    ...(fault !== undefined && { fault }),
  });
});

test("isProgress() knows the three phases and nothing else", () => {
  expect(isProgress({ phase: "InProgress" })).toBe(true);
  for (const odd of [undefined, null, "Completed", {}, { phase: "Done" }, { phase: 1 }])
    expect(isProgress(odd)).toBe(false);
});
