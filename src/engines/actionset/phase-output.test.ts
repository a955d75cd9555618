import { expect, test } from "vitest";
import type { Work } from "../../kinds/index.ts";
import { Mask } from "../../kube/index.ts";
import { PhaseOutput, readProgress } from "./phase-output.ts";

const mask = new Mask();
mask.learn("hunter22-and-more");

const bytes = (done: number, total: number) => ({ unit: "bytes", done, total });
/** Hundredths of a percent. */
const percent = (done: number) => ({ unit: "steps", done, total: 10_000 });

function take(...lines: string[]) {
  const news: Work[] = [];
  const output = new PhaseOutput((one) => news.push(one), mask);
  for (const line of lines) output.take(line);
  return { output: output.output, lastWords: output.lastWords, news };
}

test("PhaseOutput reads outputs anywhere in a line, the last of a key counts", () => {
  const { output, lastWords } = take(
    "starting",
    '###Phase-output###: {"key":"a","value":"1"}',
    'no newline before it###Phase-output###:{"key":"b","value":"x y"}',
    '###Phase-output###: {"key":"a","value":"2"}',
  );
  expect(output).toEqual({ a: "2", b: "x y" });
  expect(lastWords).toBe("starting\nno newline before it");
});

test.each(["{", '{"key":"a"}', '{"key":"a","value":1}', "null", '{"key":"","value":""}'])(
  "an output line of %s fails the phase",
  (json) => {
    expect(() => take(`###Phase-output###: ${json}`)).toThrow(
      expect.objectContaining({ code: "ACTION_OUTPUT", message: expect.stringContaining("no JSON") }),
    );
  },
);

test("an output of 500 KB is kept, one of a megabyte refused with a reason", () => {
  const line = (size: number) =>
    `###Phase-output###: ${JSON.stringify({ key: "k", value: "v".repeat(size) })}`;
  expect(take(line(500_000), line(500_000)).output["k"]).toHaveLength(500_000);
  expect(() => take(line(1_000_000))).toThrow(expect.objectContaining({ code: "ACTION_OUTPUT" }));
});

test("PhaseOutput keeps ten last lines, none of them a mover's", () => {
  const { lastWords, news } = take(
    ...Array.from({ length: 12 }, (_, i) => `line ${i}`),
    " / 1 hashing, 118 hashed (546.9 MB), 0 cached (0 B), uploaded 0 B, estimated 4.5 GB (12.1%) 35s left",
  );
  expect(lastWords.split("\n")).toEqual(Array.from({ length: 10 }, (_, i) => `line ${i + 2}`));
  expect(news).toEqual([
    {
      // The least that its rounding allows.
      progress: bytes(546_850_000, 4_500_000_000),
      uploadedBytes: 0,
      uploadTotalBytes: 4_500_000_000,
      etaSeconds: 35,
    },
  ]);
});

test.each([
  ['###progress###: {"percent": 40}', { progress: percent(4_000) }],
  [
    '###progress###: {"percent": "12.5", "estimatedTimeSeconds": 9, "message": "tables"}',
    { progress: percent(1_250), etaSeconds: 9, step: "tables" },
  ],
  [
    'x ###Phase-progress###:{"percent":100,"sizeUploadedB":5,"estimatedUploadSizeB":10}',
    { progress: percent(9_999), uploadedBytes: 5, uploadTotalBytes: 10 },
  ],
  ['###progress###: {"percent": -3}', {}],
  ["###progress###: forty", undefined],
  [
    "Processed 4 (1 GB) of 9 (2 GB) 10 MB/s (50.0%) remaining 1m40s.",
    { progress: bytes(974_025e3, 2e9), downloadedBytes: 974_025e3, downloadTotalBytes: 2e9, etaSeconds: 100 },
  ],
  [
    '{"message_type":"status","total_bytes":400,"bytes_done":100}',
    { progress: bytes(100, 400), uploadedBytes: 100, uploadTotalBytes: 400 },
  ],
  ["just words", undefined],
])("readProgress(%j)", (line, want) => {
  expect(readProgress(line, mask)).toEqual(want);
});

test("PhaseOutput masks what people read, and before it cuts it", () => {
  const secret = "hunter22-and-more";
  const long = `${"x".repeat(990)}${secret}`;
  const said = take(
    `password ${secret}`,
    long,
    `###Phase-progress###: {"percent":1,"message":"${"y".repeat(190)}${secret}"}`,
    `###Phase-output###: {"key":"token","value":"${secret}"}`,
  );
  expect(`${said.lastWords} ${said.news[0]?.step}`).not.toContain("hunter");
  expect(said.lastWords).toContain("password ***");
  expect(said.output, "later phases read outputs").toEqual({ token: secret });
  expect(() => take(`###Phase-output###: ${"z".repeat(90)}${secret}`)).toThrow(/z\*\*\*/);
});
