import { expect, test } from "vitest";
import { readStatus, readTest } from "./answers.ts";

test.each([
  ["nothing", undefined, undefined],
  ["no JSON", "{", undefined],
  ["no answer", '{"id":1}', undefined],
  [
    "an answer",
    '{"id":"/1","results":[{"sink":"a"},{"sink":"b","error":"no"},3]}',
    { id: "/1", results: [{ sink: "a" }, { sink: "b", error: "no" }] },
  ],
])("readTest() of %s", (_name, text, want) => {
  expect(readTest(text)).toEqual(want);
});

test.each([
  ["nothing", undefined, { faults: [], sinks: {} }],
  [
    "odd words",
    '{"faults":[1,"x"],"sinks":{"a":{"sent":"1","error":"no"},"b":null}}',
    { faults: ["x"], sinks: { a: { sent: 0, dropped: 0, error: "no" }, b: { sent: 0, dropped: 0 } } },
  ],
  [
    "a status",
    '{"faults":[],"sinks":{"a":{"sent":2,"dropped":1,"sentAt":5}}}',
    { faults: [], sinks: { a: { sent: 2, dropped: 1, sentAt: 5 } } },
  ],
])("readStatus() of %s", (_name, text, want) => {
  expect(readStatus(text)).toEqual(want);
});
