import { expect, test } from "vitest";
import type { Eta } from "./eta.ts";
import { etaOf } from "./eta-of.ts";
import type { Operation } from "./operation.ts";

const part = (id: string, eta: Eta, more: Partial<Operation> = {}): Operation => ({
  id,
  ref: { apiVersion: "v1", kind: "Pod", name: id },
  kind: "podvolumebackup",
  title: id,
  state: "running",
  warnings: 0,
  errors: 0,
  children: [],
  eta,
  ...more,
});
const whole = (...children: Operation[]): Operation => ({
  ...part("b", { unknown: "counting" }),
  kind: "backup",
  children,
});
const around = { still: undefined, isKnown: false };
const own = { seconds: 100, low: 90, high: 110 };

test("[ET14] the whole ends with the last part, and is no surer than it", () => {
  const parts = whole(
    part("a", { seconds: 10, low: 1, high: 200 }),
    part("b", { seconds: 200, low: 100, high: 400 }),
  );
  expect(etaOf(parts, own, around)).toEqual({ seconds: 200, low: 100, high: 400 });
  const early = whole(part("a", { seconds: 50, low: 25, high: 100 }));
  expect(etaOf(early, own, around)).toEqual({ seconds: 100, low: 50, high: 200 });
});

test("[ET14] where the part that dominates has no estimate, the whole has none, unless it has been seen before", () => {
  const parts = whole(
    part("a", { unknown: "counting" }, { weight: 5 }),
    part("b", { seconds: 5, low: 1, high: 9 }, { weight: 1 }),
  );
  expect(etaOf(parts, own, around)).toEqual({ unknown: "counting" });
  expect(etaOf(parts, own, { ...around, isKnown: true })).toMatchObject({ seconds: 100 });
});

test("[ET2] a volume that has not counted yet is guessed at, a hook is not", () => {
  expect(etaOf(part("v", own), own, around)).toEqual(own);
  expect(etaOf(part("h", own, { kind: "hook" }), own, around)).toEqual({ unknown: "unmeasured" });
});
