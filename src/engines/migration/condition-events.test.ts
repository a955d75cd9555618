import { expect, test } from "vitest";
import type { MigCondition } from "../../api/index.ts";
import type { EventNote } from "../../kube/index.ts";
import { tellConditions } from "./condition-events.ts";

const condition = (type: string, category: string, message = `it is ${type}`): MigCondition => ({
  type,
  status: "True",
  category,
  message,
  lastTransitionTime: "2026-11-15T10:00:00Z",
});
const plan = { apiVersion: "migration.openshift.io/v1alpha1", kind: "MigPlan", metadata: { name: "p" } };

function told(before: readonly MigCondition[] | undefined, now: readonly MigCondition[]): readonly string[] {
  const list: string[] = [];
  const record = (_: unknown, { type, reason, message }: EventNote) =>
    void list.push(`${type} ${reason}: ${message}`);
  tellConditions({ record }, plan, before, now);
  return list;
}

test.each([
  ["Critical", "Warning"],
  ["Error", "Warning"],
  ["Warn", "Warning"],
  ["Required", "Normal"],
  ["Advisory", "Normal"],
])("tellConditions() makes a condition of category %s an event of type %s", (category, type) => {
  expect(told(undefined, [condition("X", category)])).toEqual([`${type} X: it is X`]);
});

test("tellConditions() tells what is new, and what says something else than before", () => {
  const ready = condition("Ready", "Required");
  const before = [ready, condition("Running", "Advisory", "Step: 1/33")];
  const now = [ready, condition("Running", "Advisory", "Step: 2/33"), condition("TakesLong", "Warn")];
  expect(told(before, now)).toEqual(["Normal Running: Step: 2/33", "Warning TakesLong: it is TakesLong"]);
  expect(told(now, now)).toEqual([]);
});
