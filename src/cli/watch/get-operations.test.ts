import { expect, test } from "vitest";
import type { Operation } from "../../progress/index.ts";
import { operationTable, sortOperations } from "./get-operations.ts";

function op(name: string, rest: Partial<Operation>): Operation {
  const ref = { apiVersion: "velero.io/v1", kind: "Backup", namespace: "velero", name };
  return {
    id: name,
    ref,
    kind: "backup",
    title: name,
    state: "running",
    warnings: 0,
    errors: 0,
    children: [],
    ...rest,
  };
}
const running = op("a", { fraction: 0.5, startedAt: 0, eta: { seconds: 60, low: 50, high: 80 } });
const stalled = op("b", { startedAt: 0, stall: { since: 0, cause: "pod-pending" } });
const done = op("c", { state: "completed", fraction: 1, startedAt: 0, finishedAt: 30_000 });

test("sortOperations() puts what runs before what ended", () => {
  expect(sortOperations([done, op("p", { state: "pending" }), running]).map((each) => each.id)).toEqual([
    "a",
    "p",
    "c",
  ]);
});

test("operationTable() says how far, how long and why not", () => {
  const [head, ...rows] = operationTable([running, stalled, done], 60_000, false).split("\n");
  expect(head).toMatch(/^KIND +NAMESPACE +NAME +STATE +DONE +LEFT +WAITING FOR +AGE$/);
  expect(rows[0]).toMatch(/a +running +50% +about 60 s left \(50 to 80 s\) +1m 00s$/);
  expect(rows[1]).toMatch(/b +stalled +– +stalled for 1m 00s: the pod is pending +1m 00s$/);
  expect(rows[2]).toMatch(/c +completed +100% +1m 00s$/);
});
