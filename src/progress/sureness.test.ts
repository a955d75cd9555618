import { expect, test } from "vitest";
import type { Eta } from "./eta.ts";
import { endWords, sureness } from "./sureness.ts";

test.each([
  [{ seconds: 100, low: 90, high: 120 }, "quite sure"],
  [{ seconds: 100, low: 80, high: 150 }, "fairly sure"],
  [{ seconds: 100, low: 40, high: 300 }, "a rough guess"],
  [{ seconds: 5, low: 1, high: 9 }, "nearly there"],
  [{ unknown: "stalled" }, ""],
] as [Eta, string][])("sureness(%j) is %s", (eta, want) => {
  expect(sureness(eta)).toBe(want);
});

test("endWords() tells the moment of the end as its viewer writes moments", () => {
  const clock = (atMs: number) => `@${atMs / 1000}`;
  expect(endWords({ seconds: 100, low: 80, high: 150 }, 1000, clock)).toBe("done about @101, fairly sure");
  expect(endWords({ seconds: 5, low: 1, high: 9 }, 1000, clock)).toBe("");
  expect(endWords({ unknown: "counting" }, 1000, clock)).toBe("");
});
