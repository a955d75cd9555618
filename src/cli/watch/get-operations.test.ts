import { expect, test } from "vitest";
import { type Operation, stateWords } from "../../progress/index.ts";
import { get } from "../commands/get.ts";
import { width } from "../render/text.ts";
import { hintsOf, operationTable } from "./get-operations.ts";

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
const volume = op("v", {
  kind: "podvolumebackup",
  title: "shop/db-0: data",
  stall: { since: 0, cause: "agent-missing" },
});
/** One of two volumes stands still: the whole is not stalled by itself. */
const stuck = op("b", {
  startedAt: 0,
  fraction: 0.24,
  eta: { unknown: "stalled" },
  children: [op("w", {}), volume],
});
const done = op("c", { state: "completed", fraction: 1, startedAt: 0, finishedAt: 30_000 });
const failed = op("d", {
  state: "partially-failed",
  fraction: 0.9999,
  startedAt: 0,
  finishedAt: 30_000,
  errors: 1,
  children: [
    op("i", {
      kind: "items",
      state: "completed",
      progress: { unit: "items", done: 412, total: 900, movedAt: 0 },
    }),
  ],
});

test("operationTable() says how far, and in one sentence what happens", () => {
  const [head, ...rows] = operationTable([stuck, running, done, failed], 60_000, { wide: false }).split("\n");
  expect(head).toMatch(/^KIND +NAMESPACE +NAME +STATE +DONE +AGE +MESSAGE$/);
  expect(rows[0]).toMatch(
    /b +stalled +24% +60s +shop\/db-0: data: stalled for 1m 00s: no node agent runs on the node$/,
  );
  expect(rows[1]).toMatch(/a +running +50% +60s +about 60 s left \(50 to 80 s\)$/);
  expect(rows[2]).toMatch(/c +completed +100% +60s +completed in 30s$/);
  expect(rows[3]).toMatch(/d +partially-failed +412 of 900 items +60s +partially failed after 30s, 1 error$/);
});

test("operationTable() cuts the message at the width of the terminal, and nothing when wide", () => {
  const row = (columns: number) =>
    operationTable([stuck], 60_000, { wide: false, columns }).split("\n")[1] ?? "";
  expect(width(row(115))).toBe(115);
  expect(row(115)).toMatch(/stalled for .*…$/);
  expect(width(row(80))).toBeLessThanOrEqual(80);
  expect(operationTable([stuck], 60_000, { wide: true })).toContain("Start the node agent");
});

test("hintsOf() says what helps what stands still", () => {
  expect(hintsOf([running, stuck, done])).toEqual([expect.stringMatching(/^b: Start the node agent/)]);
});

test("operationTable() tells the age of what has not begun by its object", () => {
  const waiting = op("w", { state: "pending" });
  const rows = operationTable([waiting], 650_000, { wide: false, created: () => 18_000 });
  expect(rows.split("\n")[1]).toMatch(/ w +pending +\S* +10m$/);
});

test("--state takes the states of operations and no others", async () => {
  const flag = get([]).commands?.[0]?.flags?.find(({ name }) => name === "state");
  expect(flag?.choices?.toSorted()).toEqual(Object.keys(stateWords).toSorted());
});
