import { expect, test } from "vitest";
import type { ActionSet } from "../../api/index.ts";
import { actionSetFaults } from "./validate.ts";

const action = {
  name: "backup",
  blueprint: "bp",
  object: { kind: "StatefulSet", name: "db", namespace: "n" },
};
const faults = (action: object, status?: ActionSet["status"]) =>
  actionSetFaults({ spec: { actions: [action] }, ...(status && { status }) });

test("actionSetFaults() finds nothing in good ones", () => {
  expect(actionSetFaults({ spec: {} })).toEqual([]);
  expect(faults(action)).toEqual([]);
  expect(faults({ ...action, object: { apiVersion: "v1", resource: "configmaps", name: "x" } })).toEqual([]);
  expect(
    faults(action, { state: "complete", actions: [{ phases: [{ name: "p", state: "completed" }] }] }),
  ).toEqual([]);
  expect(faults(action, { state: "failed", actions: [] })).toEqual([]);
});

test.each<[string, readonly string[], string]>([
  ["no spec", actionSetFaults({}), "needs a spec"],
  ["no blueprint", faults({ ...action, blueprint: "" }), "names no blueprint"],
  ["no action name", faults({ ...action, name: undefined }), "has no name"],
  [
    "an unknown kind alone",
    faults({ ...action, object: { kind: "Gadget", name: "x" } }),
    'kind "Gadget" needs apiVersion',
  ],
  ["no object name", faults({ ...action, object: { kind: "pvc" } }), "the object has no name"],
  ["an odd version", faults({ ...action, preferredVersion: "latest" }), "no version"],
  ["an odd label", faults({ ...action, podLabels: { a: "b c" } }), "podLabels"],
  ["an odd annotation", faults({ ...action, podAnnotations: { "a b": "" } }), "podAnnotations"],
  ["an odd state", faults(action, { state: "finished" }), 'state "finished"'],
  [
    "too few actions in the status",
    faults(action, { state: "running", actions: [] }),
    "0 actions, the spec 1",
  ],
  [
    "an early end",
    faults(action, { state: "complete", actions: [{ phases: [{ name: "p", state: "running" }] }] }),
    '"p" is running',
  ],
])("actionSetFaults() finds %s", (_what, found, want) => {
  expect(found).toEqual([expect.stringContaining(want)]);
});

test.each([
  ["no list", { actions: {} }, "spec.actions is no list of objects"],
  ["an action that is nothing", { actions: [null] }, "spec.actions is no list of objects"],
  [
    "an object of numbers",
    { actions: [{ ...action, object: { kind: 1, name: 2 } }] },
    'kind "1" needs apiVersion',
  ],
  ["a name that is none", { actions: [{ ...action, name: { toString: 1 } }] }, "action 0 has no name"],
  ["labels of lists", { actions: [{ ...action, podLabels: { "a b": [] } }] }, "podLabels"],
])("actionSetFaults() tells of %s, which no schema has seen", (_what, spec, want) => {
  expect(actionSetFaults({ spec: spec as never })).toEqual([expect.stringContaining(want)]); // as it may come
});
