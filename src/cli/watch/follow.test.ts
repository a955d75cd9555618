import { expect, test } from "vitest";
import type { Operation, State } from "../../progress/index.ts";
import { demand, Following } from "./follow.ts";
import { readTarget } from "./target.ts";

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
] as const)("Following of targets that ended %j exits %j", (states, want) => {
  const targets = [a, b].slice(0, states.length);
  const seen = new Following(targets);
  for (const [i, state] of states.entries()) {
    const name = targets[i]?.name ?? "";
    seen.take({ id: name, operation: op(name, state) });
  }
  expect(seen.exitCode).toBe(want);
});

test("Following without targets takes what runs, up to its end, and never exits by itself", () => {
  const seen = new Following([]);
  expect(seen.take({ id: "old", operation: op("old", "completed") })).toBe(false);
  expect(seen.take({ id: "a", operation: op("a", "running") })).toBe(true);
  expect(seen.take({ id: "a", operation: op("a", "completed") })).toBe(true);
  expect([...seen.shown.keys()]).toEqual(["a"]);
  expect(seen.exitCode).toBeUndefined();
});

test("Following says when a target is deleted under way", () => {
  const seen = new Following([a]);
  seen.take({ id: "a", operation: op("a", "running") });
  expect(() => seen.take({ id: "a" })).toThrow(expect.objectContaining({ code: "OPERATION_GONE" }));
});

test("demand() names what nobody has seen", () => {
  const seen = new Following([a, b]);
  seen.take({ id: "a", operation: op("a", "running") });
  expect(() => demand(seen)).toThrow(
    expect.objectContaining({
      code: "OPERATION_MISSING",
      message: 'there is no backup "b" in namespace "velero"',
    }),
  );
  seen.take({ id: "b", operation: op("b", "running") });
  expect(() => demand(seen)).not.toThrow();
});

test.each(["a", "pod/a", "backup/", "backup/x/y/z"])("readTarget() refuses %j", (text) => {
  expect(() => readTarget(text, undefined)).toThrow(expect.objectContaining({ code: "USAGE" }));
});
