import { expect, test } from "vitest";
import type { TraceHead } from "./form.ts";
import { readTrace } from "./form.ts";
import { pointOf, Recorder } from "./recorder.ts";

const head: TraceHead = {
  v: 1,
  key: "k",
  family: "f",
  mover: "restic",
  version: "0.18.0",
  op: "backup",
  unit: "bytes",
  startedAt: 1,
};
const status = (done: number) =>
  `{"message_type":"status","percent_done":0.1,"total_files":7,"files_done":2,"total_bytes":1000,"bytes_done":${done},"seconds_remaining":8}`;

test.each([
  [status(100), { done: 100, total: 1000, files: 2, filesTotal: 7, left: 8, stage: "copying" }],
  [status(1000), { done: 1000, total: 1000, stage: "finishing" }],
  [
    " | 1 hashing, 7 hashed (29.1 MB), 2 cached (1 MB), uploaded 25.2 MB, estimating...",
    { done: 30_000_000, files: 9, uploaded: 25_200_000, stage: "counting" },
  ],
  ["Processed 9 (11.6 MB) of 10 (181.4 MB).", { done: 11_550_000, files: 9, filesTotal: 10 }],
])("pointOf() reads %s", (line, want) => {
  expect(pointOf(line)).toMatchObject(want);
});

test("pointOf() of anything else is nothing", () => {
  expect(pointOf("Running full maintenance...")).toEqual({});
});

function recording(lean: boolean) {
  const lines: string[] = [];
  let now = 0;
  const recorder = new Recorder(head, { write: (line) => lines.push(line), now: () => now, lean });
  for (now = 0; now <= 3000; now += 250) recorder.line(status(now / 10 + 1));
  now = 3100;
  recorder.end("completed");
  return lines;
}

test("a full recording has every line of the mover, word for word, and is a trace", () => {
  const lines = recording(false);
  expect(lines).toHaveLength(15);
  expect(JSON.parse(lines[1] ?? "")).toMatchObject({ t: 0, done: 1, raw: status(1) });
  expect(readTrace(lines.join("\n"), "x")).toMatchObject({ end: 3.1, outcome: "completed" });
});

test("a lean one has at most one line a second, and the last word", () => {
  const trace = readTrace(recording(true).join("\n"), "x");
  expect(trace.points.map(({ t }) => t)).toEqual([0, 1, 2, 3]);
  expect(trace.points.at(-1)?.done).toBe(301);
});
