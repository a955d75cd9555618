import { expect, test } from "vitest";
import { readLiveLines, readPosition } from "./live-log.ts";

test.each([
  ['{"run":"r","lines":3}', { run: "r", lines: 3 }],
  ["", { run: "", lines: 0 }],
  ["[]", { run: "", lines: 0 }],
  ['{"run":"r","lines":-1}', { run: "", lines: 0 }],
])("readPosition(%j)", (text, want) => {
  expect(readPosition(text)).toEqual(want);
});

const good = { run: "r", from: 2, lines: ["a\n"], at: 5 };

test("readLiveLines() takes what an operator wrote, and nothing else", () => {
  expect(readLiveLines(JSON.stringify(good))).toEqual(good);
  for (const bad of [{ from: "2" }, { lines: [1] }, { lines: "a" }, { run: 1 }, { at: null }])
    expect(readLiveLines(JSON.stringify({ ...good, ...bad }))).toBeUndefined();
  for (const text of [undefined, "", "{", "null"]) expect(readLiveLines(text)).toBeUndefined();
});
