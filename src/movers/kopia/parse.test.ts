import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  parseBackupLine,
  parseLeastSize,
  parseManifest,
  parseRestoreLine,
  parseSize,
  parseVersion,
  takesAll,
} from "./parse.ts";

function recorded(name: string): string {
  return readFileSync(join(import.meta.dirname, "../testdata", name), "utf8");
}

test("a backup recorded from kopia 0.21 reads as rising bytes, with a total once it is estimated", () => {
  const samples = recorded("kopia-0.21-snapshot.txt")
    .split(/[\r\n]/)
    .map((text) => parseBackupLine(text))
    .filter((one) => one !== undefined);
  expect(samples).toHaveLength(16);
  expect(samples.map(({ done }) => done)).toEqual(samples.map(({ done }) => done).toSorted((a, b) => a - b));
  expect(samples[0]).toEqual({ unit: "bytes", done: 65_500, cachedBytes: 0 });
  expect(samples.at(-1)).toEqual({ unit: "bytes", done: 181_400_000, cachedBytes: 0, total: 181_400_000 });
});

test("a restore recorded from kopia 0.21 reads as rising bytes", () => {
  const done = recorded("kopia-0.21-restore.txt")
    .split(/[\r\n]/)
    .map((text) => parseRestoreLine(text))
    .filter((one) => one !== undefined);
  expect(done.length).toBeGreaterThan(10);
  expect(done.map((one) => one.done)).toEqual(done.map((one) => one.done).toSorted((a, b) => a - b));
  expect(done.at(-1)).toEqual({ done: 181_400_000 });
});

test("a result recorded from kopia 0.21 reads as a snapshot", () => {
  const manifest = { id: "eb18fe30ce22e1b13994a2bf540347ef", bytes: 181_403_653, failed: 0, errors: [] };
  expect(parseManifest(recorded("kopia-0.21-snapshot.json"))).toEqual(manifest);
});

const line = (rest: string) => ` / 1 hashing, 7 hashed (29.1 MB), 2 cached (1.5 GB), uploaded 194 B${rest}`;
const base = { unit: "bytes", done: 1_529_100_000, cachedBytes: 1_500_000_000 };

test.each([
  ["estimating", line(", estimating..."), base],
  ["errors", line(" (1 fatal errors), estimating..."), base],
  ["a total", line(", estimated 2 TB (0.1%) 3h0m0s left"), { ...base, total: 2e12 }],
  ["more than all", line(", estimated 1 GB (152.9%) 0s left"), { ...base, total: 1e9 }],
  ["a total of 0", line(", estimated 0 B (100.0%) 0s left"), base],
  ["the final marker", line(", estimating...").replace("/", "*"), base],
  ["half a line", " / 1 hashing, 7 hashed (29.1 M", undefined],
  ["a strange unit", line(", estimating...").replace("29.1 MB", "29.1 XB"), undefined],
  ["another line", "Finished full maintenance.", undefined],
])("parseBackupLine() takes %s", (_name, text, want) => {
  expect(parseBackupLine(text)).toEqual(want);
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

test("parseLeastSize() is never more than what was printed, and never falls while that rises", () => {
  expect(printed(68_178_867)).toBe("68.2 MB");
  expect(parseLeastSize("68.2 MB")).toBe(68_150_000);
  expect(parseLeastSize("7 B")).toBe(7);
  expect(parseLeastSize("7 XB")).toBeUndefined();
  const bytes = fc.oneof(fc.nat(2_000), fc.nat({ max: 10_000_000 }), fc.nat({ max: 1e15 }));
  fc.assert(
    fc.property(bytes, bytes, (one, other) => {
      const [less, more] = [Math.min(one, other), Math.max(one, other)];
      const read = (size: number) => parseLeastSize(printed(size)) ?? Number.NaN;
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

test("parseVersion() reads builds and releases", () => {
  expect(parseVersion("v0.21.1 build: -(unknown_revision) from: ")).toBe("0.21.1");
  expect(parseVersion("0.19.0 build: abc from: kopia/kopia")).toBe("0.19.0");
  expect(parseVersion("no")).toBeUndefined();
});
