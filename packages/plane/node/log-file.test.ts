import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { LogFile, type LogLine, readLog } from "./log-file.ts";

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "log-"));
  path = join(folder, "c", "0.log");
});

afterEach(() => rmSync(folder, { recursive: true }));

const texts = (): string =>
  readLog(path)
    .map((line) => line.text + (line.partial ? "" : "\n"))
    .join("");

test("write() puts pieces together to lines, each stream its own", () => {
  const log = new LogFile(path);
  log.write("stdout", Buffer.from("one\ntw"));
  log.write("stderr", Buffer.from("bad\n"));
  log.write("stdout", Buffer.from("o\nrest"));
  log.end();
  expect(texts()).toBe("one\nbad\ntwo\nrest");
  expect(readLog(path).map((line) => line.stream)).toEqual(["stdout", "stderr", "stdout", "stdout"]);
});

test("a line without end is written in parts and read back whole", () => {
  const log = new LogFile(path);
  const long = "x".repeat(20_000);
  log.write("stdout", Buffer.from(long));
  log.write("stdout", Buffer.from("y\n"));
  log.end();
  expect(texts()).toBe(`${long}y\n`);
});

test("a log stays below twice its turning size, and keeps the newest lines", () => {
  const log = new LogFile(path);
  const line = `${"z".repeat(1000)}\n`;
  for (let i = 0; i < 25; i++) log.write("stdout", Buffer.from(line.repeat(1000)));
  log.write("stdout", Buffer.from("last\n"));
  log.end();
  expect(statSync(path).size).toBeLessThan(11 * 1024 * 1024);
  expect(readLog(path).at(-1)?.text).toBe("last");
  expect(readLog(path).length).toBeLessThan(21_000);
});

test("follow() tells new lines until it is stopped", () => {
  const log = new LogFile(path);
  const seen: LogLine[] = [];
  log.write("stdout", Buffer.from("before\n"));
  const stop = log.follow((line) => seen.push(line));
  log.write("stdout", Buffer.from("during\n"));
  stop();
  log.write("stdout", Buffer.from("after\n"));
  log.end();
  expect(seen.map((line) => line.text)).toEqual(["during"]);
  expect(log.ended).toBe(true);
});

test("LogFile keeps lines whole, cuts endless ones into parts, and splits no character", () => {
  const folder = mkdtempSync(join(tmpdir(), "log-"));
  const path = join(folder, "c.log");
  const log = new LogFile(path);
  const euro = Buffer.from("a€b\n");
  log.write("stdout", euro.subarray(0, 2));
  log.write("stdout", euro.subarray(2));
  log.write("stdout", Buffer.alloc(20_000, "x"));
  log.write("stdout", Buffer.from("end\nlast"));
  log.end();
  const found = readLog(path).map(({ text, partial }) => [text.slice(0, 5), text.length, partial]);
  rmSync(folder, { recursive: true });
  expect(found).toEqual([
    ["a€b", 3, false],
    ["xxxxx", 20_000, true],
    ["end", 3, false],
    ["last", 4, true],
  ]);
});
