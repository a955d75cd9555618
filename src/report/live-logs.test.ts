import { expect, test } from "vitest";
import { LiveLogs } from "./live-logs.ts";

const nothing = { run: "", lines: 0 };

test("LiveLogs give the lines after those that somebody has", () => {
  const logs = new LiveLogs(() => 7);
  const log = logs.open("u");
  log.add("a\n");
  log.add("b\n");
  const first = logs.read("u", nothing);
  expect(first).toEqual({ run: "7-0", from: 0, lines: ["a\n", "b\n"], isOpen: true });
  log.add("c\n");
  log.close();
  expect(logs.read("u", { run: "7-0", lines: 2 })).toEqual({
    run: "7-0",
    from: 2,
    lines: ["c\n"],
    isOpen: false,
  });
  expect(logs.read("u", { run: "7-0", lines: 99 })?.lines).toEqual([]);
  expect(logs.read("another", nothing)).toBeUndefined();
});

test("LiveLogs begin anew with a new run", () => {
  const logs = new LiveLogs(() => 7);
  logs.open("u").add("a\n");
  logs.open("u").add("b\n");
  expect(logs.read("u", { run: "7-0", lines: 1 })).toMatchObject({ run: "7-1", from: 0, lines: ["b\n"] });
});

test("LiveLogs keep the newest lines, and say how many went before", () => {
  const logs = new LiveLogs(() => 7);
  const log = logs.open("u");
  for (let n = 0; n < 10_000; n += 1) log.add(`line ${n}\n`);
  const { from = 0, lines = [] } = logs.read("u", nothing) ?? {};
  expect(from + lines.length).toBe(10_000);
  expect(lines.at(0)).toBe(`line ${from}\n`);
  expect(lines.join("").length).toBeLessThanOrEqual(48 * 1024);
  log.add(`${"x".repeat(1_000_000)}\n`);
  expect(logs.read("u", nothing)?.lines.at(-1)).toHaveLength(8 * 1024 + 2);
});

test("LiveLogs forget closed logs, oldest first, and none that is open", () => {
  const logs = new LiveLogs(() => 7);
  logs.open("open");
  for (let n = 0; n < 20; n += 1) logs.open(`u${n}`).close();
  expect(logs.read("u3", nothing)).toBeUndefined();
  expect(logs.read("u4", nothing)).toBeDefined();
  expect(logs.read("open", nothing)).toBeDefined();
});
