import { expect, test } from "vitest";
import { type Backup, writeOperation } from "../api/index.ts";
import type { EventNote } from "../kube/index.ts";
import type { Operation } from "../progress/index.ts";
import { announce, eventsFor } from "./announcer.ts";
import type { Frame } from "./observer.ts";
import { OperationStore } from "./operation-store.ts";

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
    isOpen: () => false,
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

test("of two operators that meet work of a namespace without one, only its author says that it started", () => {
  const created = { namespace: "velero", name: "b", uid: "u", creationTimestamp: "1970-01-01T00:00:01Z" };
  const backup = (phase?: string) =>
    ({ apiVersion: "velero.io/v1", kind: "Backup", metadata: created, status: { phase } }) as Backup;
  const operators = ["first", "second"].map((me) => {
    const store = new OperationStore({ author: () => me });
    const told: string[] = [];
    let listener: (frame: Frame) => void = () => undefined;
    const observer = {
      subscribe: (given: (frame: Frame) => void) => {
        listener = given;
        return () => undefined;
      },
      object: (id: string) => store.object(id),
      isAuthor: (id: string) => store.isAuthor(id, 2_000),
      isOpen: (id: string) => store.isOpen(id, 2_000),
    };
    const events = { record: (_: unknown, note: EventNote) => void told.push(note.reason) };
    announce({ observer, events, now: () => 2_000 }, new AbortController().signal);
    const look = (id = "") => {
      const seen = store.refresh(id, 2_000);
      listener({ id, ...(seen && { operation: seen }) });
    };
    return { store, told, look };
  });
  let id = "";
  // Both see it begin before either has seen that an Operation was written.
  for (const phase of [undefined, "InProgress"])
    for (const { store, look } of operators) look((id = store.setRoot(backup(phase))));
  expect(operators.map(({ told }) => told)).toEqual([[], []]);
  const tree = operators[0]?.store.refresh(id, 2_000);
  const status = { ...writeOperation(tree ?? operation({})), author: "first" };
  const stored = {
    apiVersion: "headway.dev/v1alpha1",
    kind: "Operation",
    metadata: { name: "o" },
    status,
  } as const;
  for (const { store, look } of operators) {
    store.setStored(stored, true, 2_000);
    look(id);
    look(id);
  }
  expect(operators.map(({ told }) => told)).toEqual([["Started"], []]);
});
