import { expect, test } from "vitest";
import { NotAsked } from "./not-asked.ts";
import { verdictOf } from "./verdict.ts";

test.each([
  ["create", { outcome: "created" }],
  ["update", { outcome: "updated" }],
  ["skip", { outcome: "skipped", reason: "it has ended" }],
  ["conflict", { outcome: "failed", differs: true }],
  ["refused", { outcome: "failed", error: new Error("no") }],
  ["refused", { outcome: "failed", reason: "could not be updated" }],
  ["unknown", { outcome: "failed", error: new NotAsked("you may not") }],
] as const)("verdictOf() says %s", (verdict, ended) => {
  expect(verdictOf(ended)).toBe(verdict);
});
