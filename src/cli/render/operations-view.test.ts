import { expect, test } from "vitest";
import type { Operation, State } from "../../progress/index.ts";
import { forest, notesOf, pulseWords, tenthsView } from "./operations-view.ts";
import { width } from "./text.ts";

function op(name: string, state: State, more: Partial<Operation> = {}): Operation {
  const ref = { apiVersion: "velero.io/v1", kind: "Backup", namespace: "velero", name };
  return {
    id: name,
    ref,
    kind: "backup",
    title: `Backup ${name}`,
    state,
    warnings: 0,
    errors: 0,
    children: [],
    ...more,
  };
}

function shownOf(...operations: Operation[]): ReadonlyMap<string, Operation> {
  return new Map(operations.map((operation) => [operation.id, operation]));
}

const style = { columns: 80, color: false, rows: 10 };

test("forest() gives every operation its share of the rows", () => {
  const lines = forest(shownOf(op("a", "running"), op("b", "pending")), 0, style);
  expect(lines.map((line) => line.slice(0, 8))).toEqual(["Backup a", "Backup b"]);
  expect(forest(new Map(), 0, style)).toEqual(["nothing is running; waiting (Ctrl-C to stop)"]);
});

test("forest() of two thousand shows what needs a look first, and says how many are left out", () => {
  const many = Array.from({ length: 1998 }, (_, i) => op(`n${i}`, i % 2 === 0 ? "pending" : "running"));
  const stalled = op("stuck", "running", { stall: { since: 0, cause: "agent-missing" } });
  const lines = forest(shownOf(...many, op("done", "completed"), stalled), 60_000, style);
  expect(lines).toHaveLength(10);
  expect(lines[0]).toContain("Backup stuck");
  expect(lines[1]).toContain("Backup n1 ");
  expect(lines.at(-1)).toBe("… and 1991 more");
  for (const line of lines) expect(width(line)).toBeLessThanOrEqual(80);
});

test("notesOf() tells the beginning of a stall with what helps, and its end, once each", () => {
  const runs = op("a", "running");
  const part = op("v", "running", { stall: { since: 0, cause: "agent-missing" } });
  const stuck = op("a", "running", { children: [op("w", "running"), part] });
  expect(notesOf(runs, stuck, 60_000)).toEqual([
    "Backup a: Backup v: stalled for 1m 00s: no node agent runs on the node",
    expect.stringMatching(/^ {2}Start the node agent/),
  ]);
  expect(notesOf(stuck, stuck, 60_000)).toEqual([]);
  expect(notesOf(stuck, runs, 60_000)).toEqual(["Backup a: moves again"]);
  expect(notesOf(stuck, op("a", "failed"), 60_000)).toEqual([]);
});

test("tenthsView() says a line for each new tenth, and the parts at the end", () => {
  let out = "";
  const io = {
    out: (text: string) => void (out += text),
    err: () => undefined,
    env: {},
    terminal: undefined,
    color: false,
  };
  const view = tenthsView(io);
  for (const fraction of [0.11, 0.12, 0.13, 0.31]) {
    const now = op("a", "running", { fraction, children: [op("part", "running")] });
    view.show(shownOf(now), now);
  }
  view.end();
  expect(out.match(/^Backup a/gm)).toHaveLength(2);
  expect(out.match(/Backup part/g)).toHaveLength(1);
});

test("pulseWords() says that the cluster is away and of when the picture is, and how long it was away", () => {
  const sinceMs = Date.parse("2026-11-15T10:00:00Z");
  const since = new Date(sinceMs).toTimeString().slice(0, 8);
  expect(pulseWords({ cluster: "away", sinceMs, why: "refused" }, sinceMs + 9_000)).toBe(
    `the cluster does not answer; what is shown is of ${since} (refused)`,
  );
  expect(pulseWords({ cluster: "back", sinceMs }, sinceMs + 90_000)).toBe(
    "the cluster answers again; it was away for 1m 30s",
  );
});
