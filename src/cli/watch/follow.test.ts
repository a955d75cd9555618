import { expect, test } from "vitest";
import type { Operation, State } from "../../progress/index.ts";
import { demand, type Following, follow } from "./follow.ts";
import { readTarget } from "./target.ts";

const none: Following = { shown: new Map(), exitCode: undefined };
function op(name: string, state: State): Operation {
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
  };
}
const a = readTarget("backup/a", undefined);
const b = readTarget("backup/velero/b", undefined);

test.each([
  [["completed"], 0],
  [["failed"], 1],
  [["partially-failed"], 1],
  [["canceled"], 4],
  [["completed", "canceled"], 4],
  [["canceled", "failed"], 1],
  [["completed", "running"], undefined],
] as const)("follow() of targets that ended %j exits %j", (states, want) => {
  const targets = [a, b].slice(0, states.length);
  const end = states.reduce<Following>((seen, state, i) => {
    const name = targets[i]?.name ?? "";
    return follow(targets, seen, { id: name, operation: op(name, state) });
  }, none);
  expect(end.exitCode).toBe(want);
});

test("follow() without targets shows what runs, keeps it when it ends, and never exits by itself", () => {
  let seen = follow([], none, { id: "old", operation: op("old", "completed") });
  seen = follow([], seen, { id: "a", operation: op("a", "running") });
  seen = follow([], seen, { id: "a", operation: op("a", "completed") });
  expect([...seen.shown.keys()]).toEqual(["a"]);
  expect(seen.exitCode).toBeUndefined();
});

test("follow() says when a target is deleted under way", () => {
  const seen = follow([a], none, { id: "a", operation: op("a", "running") });
  expect(() => follow([a], seen, { id: "a" })).toThrow(expect.objectContaining({ code: "OPERATION_GONE" }));
});

test("demand() names what nobody has seen", () => {
  const seen = follow([a, b], none, { id: "a", operation: op("a", "running") });
  expect(() => demand([a, b], seen)).toThrow(
    expect.objectContaining({
      code: "OPERATION_MISSING",
      message: 'there is no backup "b" in namespace "velero"',
    }),
  );
  expect(() => demand([a], seen)).not.toThrow();
});

test.each(["a", "pod/a", "backup/", "backup/x/y/z"])("readTarget() refuses %j", (text) => {
  expect(() => readTarget(text, undefined)).toThrow(expect.objectContaining({ code: "USAGE" }));
});
