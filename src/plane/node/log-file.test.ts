import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { LogFile, readLog } from "./log-file.ts";

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
