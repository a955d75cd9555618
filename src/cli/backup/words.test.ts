import { expect, test } from "vitest";
import { copiedShare } from "./words.ts";

test.each([
  [0, 10, "0.00%"],
  [123, 1000, "12.30%"],
  [2, 3, "66.66%"],
  [209_715_199, 209_715_200, "99.99%"],
  [10, 10, "99.99%"],
])("copiedShare(%d of %d) of a running copy is %s, never the whole", (done, total, want) => {
  expect(copiedShare(done, total)).toBe(want);
});
