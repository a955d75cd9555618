import { expect, test } from "vitest";
import { EntryCutter } from "./entry-cutter.ts";

const folder =
  '{"stream":"x","entries":[{"name":"a\\"]}","n":{"s":1,"deep":{}}},{"name":"b","content":["1",["2"],{"c":[]}],"after":3},{}],"summary":{"name":"no"}}';

/** The entries of a text that comes in pieces of this size. */
function cut(text: string, size: number, enough = Number.POSITIVE_INFINITY): unknown[] {
  const entries: unknown[] = [];
  const cutter = new EntryCutter((entry) => entries.push(JSON.parse(entry)) >= enough);
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) if (cutter.push(bytes.subarray(at, at + size))) break;
  return entries;
}

test.each([1, 2, 3, 7, 1000])(
  "EntryCutter gives every entry without its arrays, in pieces of %i bytes",
  (size) => {
    expect(cut(folder, size)).toEqual([
      { name: 'a"]}', n: { s: 1, deep: {} } },
      { name: "b", content: [], after: 3 },
      {},
    ]);
  },
);

test("EntryCutter stops when enough was taken", () => {
  expect(cut(folder, 1000, 1)).toHaveLength(1);
});

test("EntryCutter holds a bounded entry, and passes over arrays of any length", () => {
  const pieces = `["${"x".repeat(100)}"${',"y"'.repeat(200_000)}]`;
  expect(cut(`{"nodes":[{"name":"big","content":${pieces},"size":1}]}`, 65_536)).toEqual([
    { name: "big", content: [], size: 1 },
  ]);
  expect(() => cut(`{"nodes":[{"name":"${"n".repeat(300_000)}"}]}`, 65_536)).toThrow("longer than");
});

test.each(['{"entries":null}', '{"entries":[]}', "", "[1,2]", "no JSON at all", "]]]}}}"])(
  "EntryCutter finds nothing in %j",
  (text) => {
    expect(cut(text, 3)).toEqual([]);
  },
);
