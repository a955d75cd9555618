import { expect, test } from "vitest";
import type { Eta } from "./eta.ts";
import { ledEta } from "./led-eta.ts";
import type { Operation, State } from "./operation.ts";

const ref = { apiVersion: "v1", kind: "Thing", name: "x" };
function part(id: string, state: State, weight: number, fraction?: number, eta?: Eta): Operation {
  const progress = { unit: "bytes", done: 1, movedAt: 0 } as const;
  const rest = { ...(fraction !== undefined && { fraction }), ...(eta && { eta }) };
  return {
    id,
    ref,
    kind: id,
    title: id,
    state,
    weight,
    progress,
    warnings: 0,
    errors: 0,
    children: [],
    ...rest,
  };
}
const row = (...children: Operation[]): Operation => ({
  ...part("run", "running", 1),
  rule: "steps",
  children,
});

test("[OP13] the estimate follows the part that does the work, and adds what comes after it", () => {
  const items = part("items", "running", 50, 0.5, { seconds: 100, low: 80, high: 130 });
  expect(ledEta(row(items, part("finish", "pending", 2)))).toEqual({ seconds: 108, low: 84, high: 146 });
});

test("[OP13] a large part without an estimate leaves the whole without one", () => {
  const items = part("items", "running", 5, 0.9, { seconds: 1, low: 1, high: 2 });
  const volumes = part("volumes", "running", 50, 0.01, { unknown: "too-early" });
  expect(ledEta(row(items, volumes, part("finish", "pending", 1)))).toEqual({ unknown: "too-early" });
});

test("[OP13] a small part without an estimate leads nobody", () => {
  const collect = part("collect", "running", 1, 0, { unknown: "counting" });
  expect(ledEta(row(collect, part("items", "pending", 50)))).toBeUndefined();
  expect(ledEta({ ...row(collect), rule: "mean" })).toBeUndefined();
  expect(ledEta(row(part("items", "completed", 5, 1)))).toBeUndefined();
});

test("[OP13] a part that is nearly over does not make the rest endless", () => {
  const items = part("items", "running", 50, 0.9999, { seconds: 30, low: 10, high: 60 });
  const found = ledEta(row(items, part("finish", "pending", 2)));
  expect(found).toMatchObject({ seconds: 38 });
});
