import { expect, test } from "vitest";
import { TestClock } from "../../test/harness/clock.ts";
import { LogTap, readLine } from "./log-tap.ts";

test.each([
  ['{"@level":"warn","@message":"slow"}', "warning", "slow"],
  ['{"level":"error","msg":"broken"}', "error", "broken"],
  ['{"level":"info","msg":"fine"}', "info", "fine"],
  ['{"level":"info"', "info", '{"level":"info"'],
  ["panic: no", "info", "panic: no"],
])("readLine() %s", (line, level, message) => {
  expect(readLine(line)).toEqual({ level, message });
});

test("LogTap passes lines on whole, and no flood", async () => {
  const clock = new TestClock();
  const told: string[] = [];
  const tap = new LogTap({ plugin: "p", clock, log: (_level, message) => void told.push(message) });
  tap.write('{"msg":"a');
  tap.write('b"}\nnext');
  tap.write("\n");
  expect(told).toEqual(["ab", "next"]);
  tap.write("x\n".repeat(100_000));
  expect(told).toHaveLength(200);
  await clock.advance(10_000);
  tap.write("later\n");
  expect(told.slice(-2)).toEqual(["99802 lines of the plugin were left out", "later"]);
  tap.write("y".repeat(10_000_000));
  tap.end();
  expect(told.at(-1)).toHaveLength(16 << 10);
});
