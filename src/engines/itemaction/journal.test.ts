import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { readStoredOperations, type StoredBackupOperation } from "../../api/index.ts";
import { MemoryStore } from "../../store/index.ts";
import { Journal } from "./journal.ts";

const { signal } = new AbortController();
const folder = "backups/b/begun/";
const open = (store: MemoryStore) =>
  new Journal<StoredBackupOperation>(store, folder, (list, file) =>
    readStoredOperations(list, file, "backup"),
  );
const begun = (name: string) => ({
  operation: {
    spec: {
      backupName: "b",
      backupUID: "u",
      backupItemAction: "example.com/act",
      resourceIdentifier: { Group: "", Resource: "configmaps", Namespace: "a", Name: name },
      operationID: `op-${name}`,
      postOperationItems: null,
    },
    status: { phase: "New" as const },
  },
  item: `{"metadata":{"name":"${name}"}}`,
  additionalItems: [{ group: "", resource: "pods", namespace: "a", name: "p" }],
});

test("what was noted is there for the next process, and gone when it is forgotten", async () => {
  const store = new MemoryStore();
  const first = open(store);
  await Promise.all(["a", "b", "c"].map((name) => first.note(begun(name), signal)));
  await first.note(begun("d"), signal);
  const next = open(store);
  expect(await next.recall(signal)).toEqual(["a", "b", "c", "d"].map(begun));
  await next.note(begun("e"), signal);
  expect(await open(store).recall(signal)).toHaveLength(5);
  await next.forget(signal);
  expect(await open(store).recall(signal)).toEqual([]);
});

test("what could not be written is told to whoever waits, and written with the next", async () => {
  const store = new MemoryStore();
  const put = store.put.bind(store);
  let isAway = true;
  store.put = (...given) => (isAway ? Promise.reject(new Error("away")) : put(...given));
  const journal = open(store);
  await expect(journal.note(begun("a"), signal)).rejects.toThrow("away");
  isAway = false;
  await journal.note(begun("b"), signal);
  expect(await open(store).recall(signal)).toEqual(["a", "b"].map(begun));
});

test.each([
  ["no list", {}],
  ["something else", [1]],
  ["an operation of another form", [{ operation: { spec: {} }, additionalItems: [] }]],
])("recall() refuses %s", async (_name, content) => {
  const store = new MemoryStore();
  await store.put(`${folder}000001.json.gz`, gzipSync(JSON.stringify(content)));
  await expect(open(store).recall(signal)).rejects.toMatchObject({ code: "STORED_INVALID" });
});
