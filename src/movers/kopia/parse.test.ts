import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { LineSplitter } from "../../../packages/wire/index.ts";
import {
  parseDevice,
  parseManifest,
  parseNewest,
  parseSize,
  parseTaken,
  parseVersion,
  readLine,
  takesAll,
} from "./parse.ts";

function recorded(name: string): string {
  return readFileSync(join(import.meta.dirname, "../testdata", name), "utf8");
}

test.each([
  ["backup", "kopia-0.21-snapshot.txt", 16, { unit: "bytes", done: 181_350_000, total: 181_400_000 }],
  ["restore", "kopia-0.21-restore.txt", 18, { unit: "bytes", done: 181_400_000, total: 181_400_000 }],
])("a %s recorded from kopia 0.21 reads as rising bytes", (_what, file, lines, last) => {
  const samples = recorded(file)
    .split(/[\r\n]/)
    .flatMap((text) => readLine(text)?.progress ?? []);
  expect(samples).toHaveLength(lines);
  expect(samples.map(({ done }) => done)).toEqual(samples.map(({ done }) => done).toSorted((a, b) => a - b));
  expect(samples.at(-1)).toEqual(last);
});

/** Pieces of standard error as they came, each with its time in ms. */
function pieces(name: string): string[] {
  return recorded(name)
    .trim()
    .split("\n")
    .map((row) => (JSON.parse(row) as [number, string])[1]);
}

test.each([["kopia-0.21-snapshot-large.jsonl"], ["kopia-0.21-restore-large.jsonl"]])(
  "%s: each line is read when it comes, and gigabytes move by less than their one digit",
  (file) => {
    const splitter = new LineSplitter({ limitBytes: 4096, returns: "draw" });
    const done: number[] = [];
    for (const piece of pieces(file)) {
      const [first] = splitter.push(Buffer.from(piece)).flatMap((text) => readLine(text)?.progress ?? []);
      expect(first, `nothing was read of ${JSON.stringify(piece)}`).toBeDefined();
      done.push(first?.done ?? 0);
    }
    expect(done).toEqual(done.toSorted((a, b) => a - b));
    const large = done.filter((bytes) => bytes > 1e9 && bytes < 2e9);
    // Sizes alone have ten values between one gigabyte and two.
    expect(new Set(large).size).toBeGreaterThan(25);
  },
);

test("a share of a total that kopia rounded up is never more than the snapshot has", () => {
  const text =
    " / 1 hashing, 7 hashed (31.1 MB), 2 cached (0 B), uploaded 9 B, estimated 31.1 MB (100.0%) 0s left";
  const { done = 0 } = readLine(text)?.progress ?? {};
  // 99.95 % of 31.1 MB would be 31,084,450: a soak saw that fall to the 31,074,236 bytes that there were.
  expect(done).toBe(31_050_000);
});

test("the bytes of a backup are never more than were done, whatever is rounded", () => {
  const unit = (bytes: number): [string, number] =>
    bytes >= 9e8 ? ["GB", 1e9] : bytes >= 9e5 ? ["MB", 1e6] : bytes >= 900 ? ["KB", 1e3] : ["B", 1];
  const say = (bytes: number) => {
    const [name, factor] = unit(bytes);
    return factor === 1 ? `${bytes} B` : `${(bytes / factor).toFixed(1)} ${name}`;
  };
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 2 ** 38 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (total, part) => {
        const real = Math.floor(total * part);
        const percent = ((real / total) * 100).toFixed(1);
        const text = ` / 1 hashing, 1 hashed (${say(real)}), 0 cached (0 B), uploaded 0 B, estimated ${say(total)} (${percent}%) 0s left`;
        expect(readLine(text)?.progress?.done ?? Number.NaN).toBeLessThanOrEqual(real);
      },
    ),
    { numRuns: 2_000 },
  );
});

test("a result recorded from kopia 0.21 reads as a snapshot", () => {
  const manifest = {
    id: "eb18fe30ce22e1b13994a2bf540347ef",
    bytes: 181_403_653,
    files: 7,
    path: "/x/y",
    root: "k91ce3f793a2db5a5f2005ff198bc3446",
    failed: 0,
    errors: [],
  };
  expect(parseManifest(recorded("kopia-0.21-snapshot.json"))).toEqual(manifest);
});

const line = (rest: string) => ` / 1 hashing, 7 hashed (29.1 MB), 2 cached (1.5 GB), uploaded 194 B${rest}`;
const base = { unit: "bytes", done: 1_479_050_000 };
const rest = { direction: "up", sentBytes: 194, cachedBytes: 1_450_000_000 };

test.each([
  ["estimating", line(", estimating..."), { ...rest, progress: base }],
  ["errors", line(" (1 fatal errors), estimating..."), { ...rest, progress: base }],
  [
    "a total that is coarser than the sizes",
    line(", estimated 2 TB (0.1%) 3h0m0s left"),
    { ...rest, progress: { ...base, total: 2e12 }, etaSeconds: 10_800 },
  ],
  [
    "more than all",
    line(", estimated 1 GB (152.9%) 0s left"),
    { ...rest, progress: { ...base, done: 1_479_050_000, total: 1e9 } },
  ],
  [
    "a percentage that the sizes do not allow",
    line(", estimated 2 GB (90.0%) 1s left"),
    { ...rest, progress: { ...base, done: 1_579_150_000, total: 2e9 }, etaSeconds: 1 },
  ],
  ["a total of 0", line(", estimated 0 B (100.0%) 0s left"), { ...rest, progress: base, etaSeconds: 0 }],
  ["the final marker", line(", estimating...").replace("/", "*"), { ...rest, progress: base }],
  ["half a line", " / 1 hashing, 7 hashed (29.1 M", undefined],
  ["a line without its end", line(", estimated 2 T"), undefined],
  ["a strange unit", line(", estimating...").replace("29.1 MB", "29.1 XB"), undefined],
  ["another line", "Finished full maintenance.", undefined],
])("readLine() takes %s", (_name, text, want) => {
  expect(readLine(text)).toEqual(want);
});

test.each([
  ["0 B", 0],
  ["65.5 KB", 65_500],
  ["1.2 GiB", 1_288_490_189],
  ["3 PB", 3e15],
  ["99999 PB", undefined],
  ["-1 B", undefined],
  ["NaN MB", undefined],
  ["", undefined],
])("parseSize() reads %j", (text, want) => {
  expect(parseSize(text)).toBe(want);
});

/** A size as kopia prints it. */
function printed(bytes: number): string {
  const units = ["B", "KB", "MB", "GB", "TB"];
  let [size, unit] = [bytes, 0];
  while (size >= 900 && unit < units.length - 1) [size, unit] = [size / 1000, unit + 1];
  return `${size.toFixed(1).replace(/\.0$/, "")} ${units[unit]}`;
}

test("what is done is never more than what was printed, and never falls while that rises", () => {
  expect(printed(68_178_867)).toBe("68.2 MB");
  const bytes = fc.oneof(fc.nat(2_000), fc.nat({ max: 10_000_000 }), fc.nat({ max: 1e15 }));
  fc.assert(
    fc.property(bytes, bytes, (one, other) => {
      const [less, more] = [Math.min(one, other), Math.max(one, other)];
      const read = (size: number) => {
        const text = ` / 1 hashing, 1 hashed (${printed(size)}), 0 cached (0 B), uploaded 0 B, estimating...`;
        return readLine(text)?.progress.done ?? Number.NaN;
      };
      expect(read(more)).toBeLessThanOrEqual(more);
      expect(read(more)).toBeGreaterThanOrEqual(read(less));
      expect(read(more)).toBeGreaterThanOrEqual(more * 0.88 - 1);
    }),
  );
});

test("parseManifest() reads what failed and what is not whole", () => {
  const summ = { size: 2, numFailed: 1, errors: [{ path: "b", error: "permission denied" }] };
  const text = `// id: x\n// label type:snapshot\n${JSON.stringify({ id: "", incomplete: "canceled", rootEntry: { summ } }, null, 2)}`;
  expect(parseManifest(text)).toEqual({
    id: "",
    bytes: 2,
    files: 0,
    path: "",
    root: "",
    incomplete: "canceled",
    failed: 1,
    errors: ["b: permission denied"],
  });
  expect(parseManifest("{}")).toBeUndefined();
  expect(parseManifest('{"id":"abc"')).toBeUndefined();
});

test("takesAll() sees what would be left out", () => {
  expect(takesAll('{"files":{"ignoreDotFiles":[".kopiaignore"],"ignoreCacheDirs":false}}')).toBe(false);
  expect(takesAll('{"files":{"ignoreDotFiles":[".headway-ignores-nothing"]}}')).toBe(false);
  expect(takesAll('{"files":{"ignoreDotFiles":[".headway-ignores-nothing"],"ignoreCacheDirs":false}}')).toBe(
    true,
  );
});

test("parseNewest() finds the newest of a list, parseTaken() what a repository takes", () => {
  const list = [
    { id: "b".repeat(32), startTime: "2026-11-15T10:00:01Z" },
    { id: "c".repeat(32), startTime: "2026-11-15T10:00:03Z" },
    { id: "a".repeat(32), startTime: "2026-11-15T10:00:02Z" },
  ];
  expect(parseNewest(JSON.stringify(list))).toBe("c".repeat(32));
  for (const none of ["", "[]", "{}", "[{}]"]) expect(parseNewest(none)).toBeUndefined();
  expect(parseTaken("Count: 7\nTotal: 12345\nAverage: 3")).toBe(12_345);
  expect(parseTaken("")).toBe(0);
});

test("parseVersion() reads builds and releases", () => {
  expect(parseVersion("v0.21.1 build: -(unknown_revision) from: ")).toBe("0.21.1");
  expect(parseVersion("0.19.0 build: abc from: kopia/kopia")).toBe("0.19.0");
  expect(parseVersion("no")).toBeUndefined();
});

test.each([
  ["a device, under the name that upstream gives it", [{ name: "/6a2c", type: "f", obj: "Ix95" }], "Ix95"],
  [
    "a folder of files",
    [
      { name: "a", type: "f", obj: "1" },
      { name: "b", type: "f", obj: "2" },
    ],
    undefined,
  ],
  ["a folder of folders", [{ name: "a", type: "d", obj: "k1" }], undefined],
  ["nothing", [], undefined],
])("parseDevice() of %s", (_name, entries, object) => {
  expect(parseDevice(JSON.stringify({ stream: "kopia:directory", entries }))).toBe(object);
});
