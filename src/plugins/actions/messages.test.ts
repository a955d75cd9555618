import fc from "fast-check";
import { expect, test } from "vitest";
import { bytesOf, MessageWriter, messagesOf, readMessage, textOf } from "../goplugin/protobuf.ts";
import {
  executeRequest,
  namedItemsLimit,
  operationRequest,
  readBackupResult,
  readProgress,
  readRestoreResult,
  readSelector,
  readyRequest,
} from "./messages.ts";

const text = (bytes: Uint8Array) => Buffer.from(bytes).toString();
const id = (name: string) => new MessageWriter().text(2, "pods").text(3, "shop").text(4, name).done();

test("requests carry what they are given, in the fields of the protocol", () => {
  const given = { item: Buffer.from("{i}"), owner: Buffer.from("{o}"), itemFromBackup: Buffer.from("{b}") };
  const execute = readMessage(executeRequest("p", given));
  expect([textOf(execute, 1), ...[2, 3, 4].map((field) => text(bytesOf(execute, field)))]).toEqual([
    "p",
    "{i}",
    "{o}",
    "{b}",
  ]);
  const operation = readMessage(operationRequest("p", "op", given.owner));
  expect([textOf(operation, 2), text(bytesOf(operation, 3))]).toEqual(["op", "{o}"]);
  const items = [{ group: "apps", resource: "deployments", namespace: "a", name: "b" }];
  const ready = readMessage(readyRequest("p", items, given.owner));
  expect([text(bytesOf(ready, 2)), ...messagesOf(ready, 3).map((one) => textOf(one, 1))]).toEqual([
    "{o}",
    "apps",
  ]);
});

test("readSelector() reads what is there and nothing else", () => {
  const selector = new MessageWriter().text(1, "a").text(3, "pods").text(3, "pvc").text(5, "x=y").done();
  expect(readSelector(new MessageWriter().bytes(1, selector).done())).toEqual({
    includedNamespaces: ["a"],
    includedResources: ["pods", "pvc"],
    labelSelector: "x=y",
  });
  expect(readSelector(new Uint8Array())).toEqual({});
});

test("readBackupResult() and readRestoreResult() read both versions of an answer", () => {
  const backup = new MessageWriter().text(1, "{}").bytes(2, id("a")).text(3, "op").bytes(4, id("b")).done();
  expect(readBackupResult(backup)).toMatchObject({
    additionalItems: [{ group: "", resource: "pods", namespace: "shop", name: "a" }],
    operationID: "op",
    postOperationItems: [{ name: "b" }],
  });
  expect("item" in readBackupResult(new Uint8Array()), "nothing is unchanged, never dropped").toBe(false);
  const wait = new MessageWriter().int(1, 2).int(2, 500_000_000).done();
  const restore = new MessageWriter().int(3, 1).text(4, "op").int(5, 1).bytes(6, wait).done();
  expect(readRestoreResult(restore)).toMatchObject({
    skipRestore: true,
    operationID: "op",
    waitForAdditionalItems: true,
    readyTimeoutMs: 2500,
  });
  expect("readyTimeoutMs" in readRestoreResult(new Uint8Array()), "zero is not said").toBe(false);
});

test("an answer that names too many items is refused before they are read", () => {
  const writer = new MessageWriter();
  for (let i = 0; i <= namedItemsLimit; i += 1) writer.bytes(2, id("x"));
  expect(() => readBackupResult(writer.done())).toThrow(`it names ${namedItemsLimit + 1} items`);
});

test("readProgress() leaves out moments that were not said: Go's zero time and Unix 0", () => {
  const at = (seconds: number) => new MessageWriter().int(1, seconds).done();
  const said = new MessageWriter().int(1, 1).text(2, "broken").int(3, 5).int(4, 10).text(5, "bytes");
  const progress = said.bytes(7, at(-62_135_596_800)).bytes(8, at(1_700_000_000)).done();
  expect(readProgress(new MessageWriter().bytes(1, progress).done())).toEqual({
    completed: true,
    error: "broken",
    nCompleted: 5,
    nTotal: 10,
    units: "bytes",
    updated: "2023-11-14T22:13:20.000Z",
  });
});

test("bytes that are no answer are refused or read, and never crash", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
      for (const read of [readSelector, readBackupResult, readRestoreResult, readProgress]) {
        try {
          read(bytes);
        } catch (error) {
          expect(error).toBeInstanceOf(Error);
        }
      }
    }),
  );
});
