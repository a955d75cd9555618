import { expect, test } from "vitest";
import { readTrace, startOf } from "./form.ts";

const head =
  '{"v":1,"key":"k","family":"f","mover":"restic","version":"0.18.0","op":"backup","unit":"bytes","startedAt":"2026-11-16T10:00:00Z"}';
const text = (...lines: string[]) => [head, ...lines].join("\n");

test("readTrace() reads the plain form: head, moments, end", () => {
  const trace = readTrace(
    text(
      '{"t":1,"done":5,"total":10,"files":1,"filesTotal":2,"uploaded":3,"stage":"x"}',
      '{"t":2.5,"end":"completed"}',
    ),
    "a",
  );
  expect(trace).toMatchObject({ end: 2.5, outcome: "completed", head: { key: "k", family: "f" } });
  expect(trace.points).toEqual([
    { t: 1, done: 5, total: 10, files: 1, filesTotal: 2, uploaded: 3, stage: "x" },
  ]);
  expect(startOf(trace.head)).toBe(Date.UTC(2026, 10, 16, 10));
});

test("readTrace() passes over lines that say nothing, and numbers that cannot be", () => {
  const lines = [
    '{"t":3,"done":-5}',
    "half a li",
    '{"done":1}',
    '{"t":-1,"done":1}',
    '{"t":1,"done":1}',
    '{"t":4,"end":"completed"}',
  ];
  expect(readTrace(text(...lines), "a").points).toEqual([{ t: 1, done: 1 }, { t: 3 }]);
});

test.each([
  ["nothing", ""],
  ["another version", '{"v":2}\n{"t":1,"end":"completed"}'],
  ["no key", '{"v":1,"family":"f","mover":"m","op":"backup","startedAt":0}\n{"t":1,"end":"completed"}'],
  ["no start", '{"v":1,"key":"k","family":"f","mover":"m","op":"backup"}\n{"t":1,"end":"completed"}'],
  ["no end", text('{"t":1,"done":1}')],
])("readTrace() refuses %s with TRACE_FORM", (_what, bad) => {
  expect(() => readTrace(bad, "a.ndjson")).toThrow(
    expect.objectContaining({ code: "TRACE_FORM", message: expect.stringContaining("a.ndjson") }),
  );
});
