import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readObject } from "../numbers.ts";
import {
  backupSample,
  backupSummary,
  parseExitError,
  parseFileError,
  parseFreed,
  parseNewest,
  parseStats,
  parseVersion,
  restoreSample,
  restoreSummary,
} from "./parse.ts";

const parseBackupLine = (line: string) => backupSample(readObject(line));
const parseSummary = (line: string) => backupSummary(readObject(line));
const parseRestoreLine = (line: string) => restoreSample(readObject(line));
const parseRestoreSummary = (line: string) => restoreSummary(readObject(line));

function recorded(name: string): string[] {
  return readFileSync(join(import.meta.dirname, "../testdata", name), "utf8")
    .trim()
    .split("\n");
}

test.each([["0.14"], ["0.18"]])(
  "a backup recorded from restic %s reads as rising bytes and one summary",
  (version) => {
    const lines = recorded(`restic-${version}-backup.jsonl`);
    const samples = lines.map(parseBackupLine).filter((sample) => sample !== undefined);
    expect(samples.length).toBeGreaterThan(10);
    expect(samples.map(({ done }) => done)).toEqual(
      samples.map(({ done }) => done).toSorted((a, b) => a - b),
    );
    expect(samples.at(-1)).toEqual({ unit: "bytes", done: 181_403_653, total: 181_403_653 });
    const summaries = lines.map(parseSummary).filter((summary) => summary !== undefined);
    expect(summaries).toHaveLength(1);
    expect(summaries[0]).toMatchObject({
      bytes: 181_403_653,
      snapshotId: expect.stringMatching(/^[0-9a-f]{8,64}$/),
    });
  },
);

test("a restore recorded from restic 0.18 reads as rising bytes and one summary", () => {
  const lines = recorded("restic-0.18-restore.jsonl");
  const samples = lines.map(parseRestoreLine).filter((sample) => sample !== undefined);
  expect(samples.length).toBeGreaterThan(2);
  expect(samples[0]).toEqual({ unit: "bytes", done: 53_501_495, total: 181_403_653 });
  expect(lines.map(parseRestoreSummary).filter((found) => found !== undefined)).toEqual([
    { bytes: 181_403_653 },
  ]);
});

test("restic 0.14 says nothing while it restores", () => {
  expect(recorded("restic-0.14-restore.txt").map(parseRestoreLine)).toEqual([undefined]);
});

const status = (rest: string) => `{"message_type":"status",${rest}}`;

test.each([
  ["still scanning", status('"percent_done":0,"total_files":1,"total_bytes":21424504832'), undefined],
  ["scan finished", status('"action":"scan_finished","data_size":494613299'), undefined],
  ["no total yet", status('"bytes_done":5'), { unit: "bytes", done: 5 }],
  ["a total of 0", status('"bytes_done":5,"total_bytes":0'), { unit: "bytes", done: 5 }],
  ["done past the total", status('"bytes_done":9,"total_bytes":5'), { unit: "bytes", done: 9, total: 5 }],
  ["a negative number", status('"bytes_done":-1,"total_bytes":5'), undefined],
  [
    "a number past 2^53",
    status('"bytes_done":1,"total_bytes":99999999999999999999'),
    { unit: "bytes", done: 1 },
  ],
  ["text for a number", status('"bytes_done":"1"'), undefined],
  ["half a line", '{"message_type":"status","bytes_do', undefined],
  ["two lines in one", status('"bytes_done":1') + status('"bytes_done":2'), undefined],
  ["a banner", "Enter passphrase for key", undefined],
  ["an array", '["status"]', undefined],
  ["another message", '{"message_type":"verbose_status","bytes_done":3}', undefined],
])("parseBackupLine() takes %s", (_name, line, want) => {
  expect(parseBackupLine(line)).toEqual(want);
});

test("parseRestoreLine() counts what was right already", () => {
  expect(parseRestoreLine(status('"bytes_skipped":3,"total_bytes":9'))).toEqual({
    unit: "bytes",
    done: 3,
    total: 9,
  });
  expect(parseRestoreLine(status('"bytes_restored":2,"bytes_skipped":3'))).toEqual({
    unit: "bytes",
    done: 5,
  });
  expect(parseRestoreLine(status('"total_bytes":9'))).toBeUndefined();
});

test.each([
  [
    '{"message_type":"error","error":{"message":"/v/b: open b: permission denied"},"item":"/v/b"}',
    "/v/b: open b: permission denied",
  ],
  [
    '{"message_type":"error","error":{"Op":"open","Path":"b","Err":13},"during":"archival","item":"/v/b"}',
    "/v/b: open failed: permission denied",
  ],
  ['{"message_type":"error"}', "a file: read failed"],
  ["Warning: at least one source file could not be read", undefined],
])("parseFileError() reads %s", (line, want) => {
  expect(parseFileError(line)).toBe(want);
});

test("parseSummary() does not take a strange id for a snapshot", () => {
  const line = '{"message_type":"summary","total_bytes_processed":1,"snapshot_id":"--flag"}';
  expect(parseSummary(line)).toEqual({ bytes: 1 });
  expect(parseSummary('{"message_type":"summary"}')).toBeUndefined();
});

test("parseStats(), parseVersion() and parseExitError() read the rest", () => {
  const text = 'reading repository password from stdin\n{"total_size":7,"snapshots_count":0}\n';
  expect(parseStats(text)).toEqual({ bytes: 7, files: 0, snapshots: 0 });
  expect(parseStats('{"total_size":7}')).toEqual({ bytes: 7, files: 0, snapshots: 1 });
  expect(parseStats("nothing")).toBeUndefined();
  expect(parseVersion("restic 0.14.0 compiled with go1.19.8 on linux/amd64")).toBe("0.14.0");
  expect(parseVersion("rustic 1")).toBeUndefined();
  expect(parseExitError('{"message_type":"exit_error","code":12,"message":"Fatal: no"}')).toBe("Fatal: no");
  expect(parseExitError("Fatal: no")).toBeUndefined();
});

test("parseNewest() finds the last of a list, parseFreed() what prune says that it frees", () => {
  const list = '[{"id":"aaaa","short_id":"a"},{"id":"bbbb","short_id":"b"}]';
  expect(parseNewest(`reading repository password from stdin\n${list}\n`)).toBe("bbbb");
  for (const none of ["", "[]", "[", "null", "[{}]"]) expect(parseNewest(none)).toBeUndefined();
  expect(parseFreed("to delete: 1 blobs / 2 KiB\nthis removes:  3 blobs / 3 KiB\nand frees 3 KiB\n")).toBe(
    "3 KiB",
  );
  expect(parseFreed("total prune:         12 blobs / 1.234 MiB\nremaining: 3 blobs")).toBe("1.234 MiB");
  expect(parseFreed("nothing to do")).toBe("");
});
