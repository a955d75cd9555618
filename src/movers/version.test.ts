import { expect, test } from "vitest";
import { atLeast } from "./version.ts";

test.each([
  ["0.17.0", true],
  ["0.18.1", true],
  ["1.0.0", true],
  ["0.16.4", false],
  ["0.14", false],
  ["?", false],
])("atLeast() puts %s against 0.17", (version, want) => {
  expect(atLeast(version, 0, 17)).toBe(want);
});
