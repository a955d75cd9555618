import { expect, test } from "vitest";
import { readActionProgress, readActionState, readPercent } from "./read.ts";

test.each([
  ["complete", "complete"],
  ["completed", "complete"],
  ["running", "running"],
  ["pending", "pending"],
  ["failed", "failed"],
  ["", undefined],
  [null, undefined],
  ["Completed", undefined],
])("readActionState(%j) is %j", (text, want) => {
  expect(readActionState(text)).toBe(want);
});

test.each([
  ["30.00", 0.3],
  ["30", 0.3],
  [30, 0.3],
  [" 43.33% ", 0.4333],
  ["0", 0],
  [100, 1],
  ["101", undefined],
  [-1, undefined],
  ["", undefined],
  ["NaN", undefined],
  [Number.NaN, undefined],
  ["1e1", undefined],
  [undefined, undefined],
  [true, undefined],
])("readPercent(%j) is %j", (value, want) => {
  const share = readPercent(value);
  if (want === undefined) expect(share).toBeUndefined();
  else expect(share).toBeCloseTo(want, 10);
});

test("readActionProgress() reads today's names", () => {
  expect(
    readActionProgress({
      percentCompleted: "50",
      sizeUploadedB: 5,
      estimatedUploadSizeB: 10,
      sizeDownloadedB: 1,
      estimatedDownloadSizeB: 2,
      estimatedTimeSeconds: 120,
      lastTransitionTime: "2023-02-20T12:49:55Z",
    }),
  ).toEqual({
    fraction: 0.5,
    uploadedBytes: 5,
    uploadTotalBytes: 10,
    downloadedBytes: 1,
    downloadTotalBytes: 2,
    etaSeconds: 120,
    changedAt: Date.UTC(2023, 1, 20, 12, 49, 55),
  });
});

test("readActionProgress() reads older names and texts, and passes over a broken time", () => {
  expect(
    readActionProgress({
      progressPercent: "30.00",
      sizeUploaded: "50000",
      estimatedUploadSize: "100000000",
      estimatedTimeSeconds: "120",
      lastTransitionTime: "2023-02-20T12:448:55Z",
    }),
  ).toEqual({ fraction: 0.3, uploadedBytes: 50_000, uploadTotalBytes: 100_000_000, etaSeconds: 120 });
});

test("readActionProgress() reads the misspelt estimate, and nothing out of nothing", () => {
  expect(readActionProgress({ estinatedTimeSeconds: 7 })).toEqual({ etaSeconds: 7 });
  for (const none of [{}, null, undefined]) expect(readActionProgress(none)).toEqual({});
});
