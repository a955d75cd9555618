import { expect, expectTypeOf, test } from "vitest";
import type { Operation } from "../../progress/index.ts";
import type { Typed } from "../schema.ts";
import { type OperationObject, operationStatus, readOperation, writeOperation } from "./operation.ts";

const tree: Operation = {
  id: "backup",
  ref: { apiVersion: "velero.io/v1", kind: "Backup", namespace: "velero", name: "b1" },
  kind: "backup",
  title: "Backup b1",
  state: "running",
  fraction: 0.4369,
  eta: { seconds: 60, low: 50, high: 80 },
  warnings: 0,
  errors: 0,
  rule: "mean",
  children: [
    {
      id: "items",
      ref: { apiVersion: "velero.io/v1", kind: "Backup", name: "b1" },
      kind: "items",
      title: "Objects",
      state: "running",
      progress: { unit: "items", done: 3, total: 7, movedAt: 1 },
      warnings: 1,
      errors: 0,
      children: [],
    },
  ],
};

test("every field of an operation has its place in the schema, with the same type", () => {
  type Schema = Typed<typeof operationStatus>;
  type Own = Omit<Operation, "children" | "eta">;
  expectTypeOf<Own>().toExtend<
    Omit<Schema, "children" | "eta" | "memory" | "author" | "watched" | "conditions" | "shown">
  >();
  expectTypeOf<Exclude<keyof Operation, keyof Schema>>().toEqualTypeOf<never>();
  expectTypeOf<Exclude<keyof Schema, keyof Operation>>().toEqualTypeOf<
    "memory" | "author" | "watched" | "conditions" | "shown"
  >();
  expect(Object.keys(operationStatus.properties)).toContain("children");
});

test("writeOperation() keeps the tree and adds words for kubectl", () => {
  const status = writeOperation(tree, { children: [] });
  expect(status).toMatchObject(tree);
  expect(status.memory).toEqual({ children: [] });
  expect(status.shown).toEqual({
    state: "running",
    done: "43%",
    message: "about 60 s left (50 to 80 s)",
  });
});

const pod = { apiVersion: "v1", kind: "Pod", namespace: "n", name: "p" };
const [items] = tree.children;
const stall = { since: Date.UTC(2026, 10, 16, 14, 2, 5), cause: "image-pull" } as const;

test.each([
  [{ waitingFor: { reason: "pod", object: pod } }, ["running", "43%", "waiting for Pod n/p"]],
  [
    { waitingFor: { reason: "queue", message: "2 backups ahead" } },
    ["running", "43%", "waiting for 2 backups ahead"],
  ],
  [
    { children: items ? [items, { ...items, id: "v", stall }] : [] },
    ["stalled", "43%", "Objects: stalled since 2026-11-16T14:02:05Z: an image cannot be pulled"],
  ],
  [
    { state: "partially-failed", errors: 1, startedAt: 0 },
    ["partially-failed", "3 of 7 items", "partially failed, 1 error"],
  ],
  [{ fraction: undefined, eta: undefined }, ["running", "–", undefined]],
] as const)("writeOperation() shows the words of every view: %j", (extra, want) => {
  const { state, done, message } = writeOperation({ ...tree, ...extra } as Operation).shown ?? {};
  expect([state, done, message]).toEqual(want);
});

test("writeOperation() writes the same words however long a stall lasts", () => {
  expect(writeOperation({ ...tree, stall })).toEqual(writeOperation({ ...tree, stall }));
  expect(writeOperation({ ...tree, stall }).shown?.message).not.toContain(" for ");
});

test("readOperation() gives back what was written", () => {
  const object: OperationObject = {
    apiVersion: "headway.dev/v1alpha1",
    kind: "Operation",
    metadata: { name: "b1" },
    status: writeOperation(tree, { children: [] }),
  };
  expect(readOperation(object)).toEqual(tree);
  expect(readOperation({ ...object, status: JSON.parse(JSON.stringify(object.status)) })).toEqual(tree);
});

test("readOperation() fills in counts and lists that another client left out", () => {
  const { warnings: _, errors: __, children: ___, ...bare } = tree;
  const object = { apiVersion: "headway.dev/v1alpha1", kind: "Operation", metadata: { name: "b1" } } as const;
  const read = readOperation({ ...object, status: bare as Operation });
  expect(read).toEqual({ ...tree, children: [] });
  expect(readOperation(object)).toBeUndefined();
});
