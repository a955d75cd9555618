import { expect, test } from "vitest";
import { changedItem } from "./changed-item.ts";

const bytes = (value: unknown) => Buffer.from(typeof value === "string" ? value : JSON.stringify(value));
const item = (metadata: object) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "a", namespace: "n", ...metadata },
});
const read = (value: unknown, namespace: string | undefined = "n") =>
  changedItem("example.com/p", bytes(value), { namespace });

test.each<[string, unknown, string]>([
  ["no JSON", "{", "something that is no JSON"],
  ["a list", [], "something that is no Kubernetes object"],
  ["no name", { apiVersion: "v1", kind: "X", metadata: {} }, "something that is no Kubernetes object"],
  ["a path as a name", item({ name: "../../etc/passwd" }), "something that is no Kubernetes object"],
  ["no kind", { apiVersion: "v1", metadata: { name: "a" } }, "something that is no Kubernetes object"],
  ["no namespace", item({ namespace: "" }), "an item without a namespace"],
  ["a path as a namespace", item({ namespace: ".." }), "an item without a namespace"],
])("changedItem() refuses %s", (_name, value, words) => {
  expect(() => read(value)).toThrow(`plugin "example.com/p" gave back ${words}`);
});

test("changedItem() refuses a namespace for what has none, and an item that no restore would read", () => {
  expect(() => changedItem("p", bytes(item({})), { namespace: undefined })).toThrow(
    "an item with a namespace",
  );
  expect(() => changedItem("p", Buffer.alloc((16 << 20) + 1, 0x20), { namespace: "n" })).toThrow(
    "an item of",
  );
});

test("changedItem() tells a new name, and takes the mark off without touching a number", () => {
  expect(read(item({ name: "b" }))).toMatchObject({
    name: "b",
    namespace: "n",
    mustInclude: false,
    isDropped: false,
  });
  const mark = '"annotations":{"backup.velero.io/must-include-additional-items":"true","x":"y"}';
  const text = `{"apiVersion":"v1","kind":"C","metadata":{"name":"a","namespace":"n",${mark}},"n":9007199254740993}`;
  const found = read(text);
  expect(found.mustInclude).toBe(true);
  expect(Buffer.from(found.bytes).toString()).toBe(
    '{"apiVersion":"v1","kind":"C","metadata":{"name":"a","namespace":"n","annotations":{"x":"y"}},"n":9007199254740993}',
  );
  expect(read(item({ annotations: { "velero.io/skip-from-backup": "" } })).isDropped).toBe(true);
});
