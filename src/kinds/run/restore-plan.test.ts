import { expect, test } from "vitest";
import { PlanTally } from "./restore-plan.ts";

test("PlanTally counts every item and lists no more than its limit", () => {
  const tally = new PlanTally(2);
  for (const name of ["c", "a", "b"])
    tally.add({ resource: "pods", namespace: "n", name, verdict: "create" });
  tally.add({ resource: "nodes", name: "x", verdict: "skip", notAsked: "y" });
  expect(tally.result()).toEqual({
    counts: { create: 3, update: 0, skip: 1, conflict: 0, refused: 0, unknown: 0 },
    notAsked: 1,
    groups: [
      { resource: "nodes", counts: { skip: 1 }, notAsked: 1 },
      { resource: "pods", namespace: "n", counts: { create: 3 }, notAsked: 0 },
    ],
    items: [
      { resource: "pods", namespace: "n", name: "a", verdict: "create" },
      { resource: "pods", namespace: "n", name: "c", verdict: "create" },
    ],
    moreItems: 2,
  });
});
