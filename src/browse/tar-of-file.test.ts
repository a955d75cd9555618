import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { tarOfFile } from "./tar-of-file.ts";

function listed(entry: Parameters<typeof tarOfFile>[0], content: string): string {
  const { head, tail } = tarOfFile(entry);
  const input = Buffer.concat([head, Buffer.from(content), tail]);
  expect(input.length % 512).toBe(0);
  const { stdout, stderr, status } = spawnSync(
    "tar",
    ["--numeric-owner", "-tvf", "-", "--quoting-style=literal"],
    {
      input,
      env: { ...process.env, TZ: "UTC" },
    },
  );
  expect([status, String(stderr)]).toEqual([0, ""]);
  return String(stdout).replaceAll(/ +/g, " ").trim();
}

test.each([
  [
    { name: "app.conf", bytes: 5, mode: 0o640, uid: 7, gid: 8, modified: "2026-01-02T03:04:05.6Z" },
    "-rw-r----- 7/8 5 2026-01-02 03:04 app.conf",
  ],
  [{ name: "n".repeat(255), bytes: 5 }, `-rw-r--r-- 0/0 5 1970-01-01 00:00 ${"n".repeat(255)}`],
  [{ name: "x".repeat(100), bytes: 5 }, `-rw-r--r-- 0/0 5 1970-01-01 00:00 ${"x".repeat(100)}`],
  [{ name: "empty", bytes: 0 }, "-rw-r--r-- 0/0 0 1970-01-01 00:00 empty"],
  [
    { name: "big id", bytes: 5, uid: 4_000_000_000, gid: 1 },
    "-rw-r--r-- 4000000000/1 5 1970-01-01 00:00 big id",
  ],
])("tarOfFile() is read by tar: %j", (entry, want) => {
  expect(listed({ type: "file", ...entry }, "hello".slice(0, entry.bytes))).toBe(want);
});
