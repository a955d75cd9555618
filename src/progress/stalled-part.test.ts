import { expect, test } from "vitest";
import { anOperation } from "../../test/harness/fake-observer.ts";
import { isInStates, isStalled, shownState, stalledPart, stalledParts } from "./stalled-part.ts";

const missing = { since: 5_000, cause: "agent-missing" } as const;
const silent = { since: 1_000, cause: "mover-silent" } as const;

test("[WD1] one stalled part of two makes the whole stalled, though its parent is not", () => {
  const volumes = anOperation("volumes", {
    children: [anOperation("moves"), anOperation("stuck", { stall: missing })],
  });
  const whole = anOperation("b", { children: [volumes] });
  expect([isStalled(whole), shownState(whole)]).toEqual([true, "stalled"]);
  expect(stalledPart(whole)?.ref.name).toBe("stuck");
});

test("[WD1] a part that has not begun can stand still; one that is over cannot", () => {
  const waits = anOperation("v", { state: "pending", stall: missing });
  expect(shownState(anOperation("b", { children: [waits] }))).toBe("stalled");
  const over = anOperation("b", { state: "completed", stall: missing, children: [waits] });
  expect([stalledPart(over), shownState(over)]).toEqual([undefined, "completed"]);
});

test("[WD2] the deepest part is told, not its parents", () => {
  const deep = anOperation("v", { stall: silent });
  const whole = anOperation("b", {
    stall: silent,
    children: [anOperation("g", { stall: silent, children: [deep] })],
  });
  expect(stalledParts(whole)).toEqual([deep]);
});

test("[WD2] of several the gravest cause comes first, then the longest silence", () => {
  const parts = [
    anOperation("silent", { stall: silent }),
    anOperation("late", { stall: missing }),
    anOperation("early", { stall: { ...missing, since: 2_000 } }),
  ];
  expect(stalledPart(anOperation("b", { children: parts }))?.ref.name).toBe("early");
});

test("isInStates() finds a stalled run as stalled and as running", () => {
  const stuck = anOperation("b", { stall: silent });
  const found = [[], ["stalled"], ["failed", "running"], ["failed"]].map((states) =>
    isInStates(stuck, states),
  );
  expect(found).toEqual([true, true, true, false]);
});
