import { expect, test } from "vitest";
import type { Backup } from "../../api/index.ts";
import { planQueue, type QueueStep } from "./queue.ts";

function backup(
  name: string,
  phase?: string,
  more: { ns?: string[]; at?: number; cancel?: boolean | "spec" } = {},
): Backup {
  return {
    apiVersion: "velero.io/v1",
    kind: "Backup",
    metadata: {
      name,
      namespace: "velero",
      creationTimestamp: `2026-01-01T00:00:0${name.length}Z`,
      ...(more.cancel === true && { annotations: { "headway.dev/cancel": "true" } }),
    },
    spec: { includedNamespaces: more.ns ?? [], ...(more.cancel === "spec" && { cancel: true }) },
    status: { phase, ...(more.at !== undefined && { queuePosition: more.at }) },
  } as Backup;
}

test.each<[string, Backup[], string[], number, QueueStep[]]>([
  [
    "one that runs stops by its spec, too",
    [backup("a", "InProgress", { cancel: "spec" })],
    ["a"],
    1,
    [{ do: "stop", name: "a" }],
  ],
  ["a new one starts at once", [backup("a")], [], 1, [{ do: "start", name: "a" }]],
  ["nothing happens to what has ended", [backup("a", "Completed"), backup("b", "Failed")], [], 1, []],
  [
    "the second waits",
    [backup("a", "InProgress"), backup("bb")],
    ["a"],
    1,
    [{ do: "queue", name: "bb", position: 1 }],
  ],
  [
    "one that waits for operations holds no slot",
    [backup("a", "WaitingForPluginOperations"), backup("bb")],
    ["a"],
    1,
    [{ do: "start", name: "bb" }],
  ],
  [
    "one that waited for operations, or finished, when the operator died is taken up again",
    [backup("a", "WaitingForPluginOperationsPartiallyFailed"), backup("b", "Finalizing")],
    [],
    2,
    [
      { do: "start", name: "a" },
      { do: "start", name: "b" },
    ],
  ],
  [
    "a place that is right is not written again",
    [backup("a", "InProgress"), backup("bb", "Queued", { at: 1 })],
    ["a"],
    1,
    [],
  ],
  [
    "places move up",
    [backup("bb", "Queued", { at: 2 }), backup("ccc", "Queued", { at: 3 })],
    [],
    1,
    [
      { do: "start", name: "bb" },
      { do: "queue", name: "ccc", position: 1 },
    ],
  ],
  [
    "one that was under way before a restart goes first",
    [backup("a"), backup("bb", "InProgress")],
    [],
    1,
    [
      { do: "start", name: "bb" },
      { do: "queue", name: "a", position: 1 },
    ],
  ],
  [
    "two at a time when they share no namespace",
    [
      backup("a", "InProgress", { ns: ["x"] }),
      backup("bb", "New", { ns: ["y"] }),
      backup("ccc", "New", { ns: ["z"] }),
    ],
    ["a"],
    2,
    [
      { do: "start", name: "bb" },
      { do: "queue", name: "ccc", position: 1 },
    ],
  ],
  [
    "not when they may share one",
    [backup("a", "InProgress", { ns: ["x*"] }), backup("bb", "New", { ns: ["y"] })],
    ["a"],
    2,
    [{ do: "queue", name: "bb", position: 1 }],
  ],
  [
    "a cancel stops what runs",
    [backup("a", "InProgress", { cancel: true })],
    ["a"],
    1,
    [{ do: "stop", name: "a" }],
  ],
  [
    "a cancel drops what waits",
    [backup("a", "Queued", { cancel: true, at: 1 })],
    [],
    1,
    [{ do: "drop", name: "a" }],
  ],
  [
    "a cancel drops what a dead operator left",
    [backup("a", "InProgress", { cancel: true })],
    [],
    1,
    [{ do: "drop", name: "a" }],
  ],
  ["a cancel comes too late for what has ended", [backup("a", "Completed", { cancel: true })], [], 1, []],
  ["what upstream made ready is taken", [backup("a", "ReadyToStart")], [], 1, [{ do: "start", name: "a" }]],
])("planQueue(): %s", (_name, backups, running, concurrent, want) => {
  expect(planQueue(backups, new Set(running), concurrent)).toEqual(want);
});
