import { expect, test } from "vitest";
import type { EventNote } from "../kube/index.ts";
import type { Operation } from "../progress/index.ts";
import { announce, eventsFor } from "./announcer.ts";
import type { Frame } from "./observer.ts";

const operation = (given: Partial<Operation>): Operation => ({
  id: "backup/velero/b",
  ref: { apiVersion: "velero.io/v1", kind: "Backup", namespace: "velero", name: "b", uid: "u" },
  kind: "backup",
  title: "Backup b",
  state: "running",
  warnings: 0,
  errors: 0,
  children: [],
  ...given,
});
const stall = { since: 1_000, cause: "agent-missing" as const };

test.each([
  ["a start", { state: "pending", cause: undefined }, {}, ["Started"]],
  ["no change", { state: "running", cause: undefined }, {}, []],
  ["a stall", { state: "running", cause: undefined }, { stall }, ["Stalled"]],
  ["the same stall", { state: "running", cause: "agent-missing" }, { stall }, []],
  ["the end of a stall", { state: "running", cause: "agent-missing" }, {}, ["Moving"]],
  ["the end", { state: "running", cause: undefined }, { state: "completed" }, ["Completed"]],
  ["a failure", { state: "running", cause: "x" }, { state: "failed", message: "disk full" }, ["Failed"]],
  ["an end at once", { state: "pending", cause: undefined }, { state: "failed" }, ["Started", "Failed"]],
  ["nothing after the end", { state: "completed", cause: undefined }, { state: "completed" }, []],
] as const)("eventsFor() for %s", (_name, before, now, want) => {
  expect(eventsFor(before, operation(now), 61_000).map(({ reason }) => reason)).toEqual(want);
});

test("eventsFor() names the part that stands still, and how the work ended", () => {
  const part = operation({ title: "shop/db-0: data", stall });
  const stalled = eventsFor(
    { state: "running", cause: undefined },
    operation({ stall, children: [part] }),
    61_000,
  );
  expect(stalled[0]).toEqual({
    type: "Warning",
    reason: "Stalled",
    message: expect.stringMatching(
      /^shop\/db-0: data: stalled for 1m 00s: no node agent runs on the node\. Start the node agent on that node/,
    ),
  });
  const ended = operation({
    state: "partially-failed",
    startedAt: 0,
    finishedAt: 65_000,
    errors: 2,
    progress: { unit: "items", done: 412, total: 900, movedAt: 0 },
  });
  expect(eventsFor({ state: "running", cause: undefined }, ended, 65_000)[0]).toEqual({
    type: "Warning",
    reason: "PartiallyFailed",
    message: "Backup b partially failed after 1m 05s, 2 errors (412 of 900 items)",
  });
});

test("announce() records changes of what it has seen, and stops with the signal", () => {
  const stop = new AbortController();
  const told: string[] = [];
  let tell: (frame: Frame) => void = () => undefined;
  const observer = {
    subscribe: (listener: (frame: Frame) => void) => {
      tell = listener;
      return () => {
        tell = () => undefined;
      };
    },
    isAuthor: () => true,
    object: () =>
      ({ apiVersion: "velero.io/v1", kind: "Backup", metadata: { name: "b", uid: "u" } }) as const,
  };
  const events = { record: (_: unknown, note: EventNote) => void told.push(note.reason) };
  announce({ observer, events, now: () => 0 }, stop.signal);
  tell({ id: "x", operation: operation({ state: "running" }) });
  expect(told, "met on its way").toEqual([]);
  tell({ id: "x", operation: operation({ state: "completed" }) });
  tell({ id: "x" });
  tell({ id: "x", operation: operation({ state: "pending" }) });
  tell({ id: "x", operation: operation({ state: "running" }) });
  stop.abort();
  tell({ id: "x", operation: operation({ state: "failed" }) });
  expect(told).toEqual(["Completed", "Started"]);
});
