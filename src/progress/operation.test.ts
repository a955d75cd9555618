import { expect, test } from "vitest";
import { isTerminal, type State, stateOf } from "./operation.ts";

test.each([
  ["[OP7] nothing yet is pending", [], "pending"],
  ["[OP7] one running runs", ["completed", "running", "pending"], "running"],
  ["[OP7] begun and not over runs", ["completed", "pending"], "running"],
  ["[OP7] none begun is pending", ["pending", "pending"], "pending"],
  ["[OP7] all well is completed", ["completed", "skipped"], "completed"],
  ["[OP7] all skipped is skipped", ["skipped", "skipped"], "skipped"],
  ["[OP7] all failed is failed", ["failed", "failed"], "failed"],
  ["[OP7] some failed is partial", ["failed", "completed"], "partially-failed"],
  ["[OP7] a canceled child cancels", ["canceled", "failed"], "canceled"],
] as [string, State[], State][])("%s", (_rule, states, want) => {
  expect(stateOf(states.map((state) => ({ state })))).toBe(want);
});

test("isTerminal() tells the last five states", () => {
  const states: State[] = [
    "pending",
    "running",
    "completed",
    "partially-failed",
    "failed",
    "canceled",
    "skipped",
  ];
  expect(states.filter(isTerminal)).toEqual(states.slice(2));
});
