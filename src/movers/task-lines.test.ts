import { expect, test } from "vitest";
import type { MoverLine } from "./definition.ts";
import { movedLine, processLine, processMark, readMovedLine, readProcessLine } from "./task-lines.ts";

const moved: readonly MoverLine[] = [
  { direction: "up", progress: { unit: "bytes", done: 3, total: 9 }, sentBytes: 2 },
  { direction: "up", progress: { unit: "bytes", done: 0 } },
  { direction: "down", progress: { unit: "bytes", done: 5, total: 5 } },
];
test.each(moved)("readMovedLine() reads what movedLine() writes: %j", (said) => {
  expect(readMovedLine(movedLine(said))).toEqual(said);
});

test.each([
  "",
  "Restored 3 files",
  "###headway-moved###: ",
  "###headway-moved###: {",
  `###headway-moved###: {"direction":"up"}`,
  `###headway-moved###: {"direction":"up","progress":{"done":-1}}`,
  ` ${movedLine({ direction: "down", progress: { unit: "bytes", done: 1 } })}`,
])("readMovedLine() takes nothing else: %j", (line) => {
  expect(readMovedLine(line)).toBeUndefined();
});

const look = { state: "S", readBytes: 10, writtenBytes: 20 };
test("readProcessLine() reads what processLine() writes, and what a script writes", () => {
  const whole = { look: { ...look, cpuTicks: 7 }, connection: { isOpen: true, queuedBytes: 4096 } };
  expect(processLine(whole)).toBe(`${processMark} S 10 20 7 1 4096`);
  expect(readProcessLine(processLine(whole))).toEqual(whole);
  expect(readProcessLine(`${processMark} S 10 20`)).toEqual({ look, connection: undefined });
});

test.each([
  "",
  "S 1 2",
  processMark,
  `${processMark} S 1`,
  `${processMark} S 1 2 3`,
  `${processMark} S -1 2`,
])("readProcessLine() takes nothing else: %j", (line) => expect(readProcessLine(line)).toBeUndefined());
