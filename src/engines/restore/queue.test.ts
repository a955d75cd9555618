import { expect, test } from "vitest";
import type { Restore } from "../../api/index.ts";
import { planQueue } from "./queue.ts";

const cancel = "headway.dev/cancel";
function restore(name: string, phase: string | undefined, metadata: object = {}): Restore {
  const object = {
    apiVersion: "velero.io/v1",
    kind: "Restore",
    metadata: { name, ...metadata },
    status: { phase },
  };
  return object as Restore;
}
const finalizers = ["restores.velero.io/external-resources-finalizer"];

test.each([
  [
    "the oldest new one starts",
    [restore("b", undefined, { creationTimestamp: "2" }), restore("a", "New", { creationTimestamp: "1" })],
    undefined,
    ["start a"],
  ],
  [
    "one that was begun goes first",
    [restore("a", "New", { creationTimestamp: "1" }), restore("b", "InProgress", { creationTimestamp: "2" })],
    undefined,
    ["start b"],
  ],
  ["one at a time", [restore("a", "New"), restore("b", "InProgress")], "b", []],
  ["one that was deleted comes to its end", [restore("a", "New")], "", []],
  [
    "one that waits for data to be moved lets the next begin",
    [restore("a", "New"), restore("b", "WaitingForPluginOperations")],
    "b",
    ["start a"],
  ],
  [
    "one that finishes likewise, with errors or not",
    [restore("a", "New"), restore("b", "FinalizingPartiallyFailed")],
    "b",
    ["start a"],
  ],
  [
    "after a restart all that waited go on, and one that has items to restore",
    [
      restore("a", "WaitingForPluginOperations"),
      restore("b", "InProgress"),
      restore("c", "WaitingForPluginOperationsPartiallyFailed"),
      restore("d", "New"),
    ],
    undefined,
    ["start a", "start c", "start b"],
  ],
  [
    "one that waits can be canceled",
    [restore("a", "WaitingForPluginOperations", { annotations: { [cancel]: "true" } })],
    "a",
    ["stop a"],
  ],
  [
    "ended ones are left alone",
    [restore("a", "Completed"), restore("b", "Failed"), restore("c", "FailedValidation")],
    undefined,
    [],
  ],
  [
    "a canceled one stops",
    [restore("a", "InProgress", { annotations: { [cancel]: "true" } })],
    "a",
    ["stop a"],
  ],
  [
    "one that is canceled by its spec stops",
    [{ ...restore("a", "InProgress"), spec: { cancel: true } }],
    "a",
    ["stop a"],
  ],
  [
    "a canceled one does not start",
    [restore("a", "New", { annotations: { [cancel]: "true" } })],
    undefined,
    ["drop a"],
  ],
  [
    "a deleted one stops before it is cleaned up",
    [restore("a", "InProgress", { deletionTimestamp: "x", finalizers })],
    "a",
    ["stop a"],
  ],
  [
    "a deleted one is cleaned up",
    [restore("a", "Completed", { deletionTimestamp: "x", finalizers })],
    undefined,
    ["clean a"],
  ],
  [
    "one that somebody else holds is left alone",
    [restore("a", "New", { deletionTimestamp: "x", finalizers: ["other/x"] })],
    undefined,
    [],
  ],
] as [string, Restore[], string | undefined, string[]][])("planQueue(): %s", (_title, all, running, want) => {
  const names = new Set(running === undefined || running === "" ? [] : [running]);
  expect(
    planQueue(all, { names, isOther: running === "" }, cancel).map(
      ({ do: what, restore: { metadata } }) => `${what} ${metadata.name}`,
    ),
  ).toEqual(want);
});
