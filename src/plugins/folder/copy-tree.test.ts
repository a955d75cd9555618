import { linkSync, lstatSync, mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { fillTree, treeLines } from "../../../test/harness/tree.ts";
import { copyTree, measureTree } from "./copy-tree.ts";

const { signal } = new AbortController();
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "copy-tree-"));
  mkdirSync(join(folder, "from"));
});
afterEach(() => rmSync(folder, { recursive: true }));
const from = () => join(folder, "from");
const to = () => join(folder, "to");

test.each(["auto", "copy", "hardlink"] as const)(
  "copyTree() by %s gives the same tree and counts its bytes",
  async (method) => {
    const bytes = fillTree(from(), [1_500_000, 0, 77, 2_000_000]);
    const told: number[] = [];
    const result = await copyTree(from(), to(), { method, onBytes: (done) => told.push(done) }, signal);
    expect(treeLines(to())).toEqual(treeLines(from()));
    expect(result).toMatchObject({ bytes, left: 0 });
    expect(told).toEqual(told.toSorted((a, b) => a - b));
    expect(told.at(-1)).toBe(bytes);
    expect(await measureTree(from(), signal)).toBe(bytes);
  },
);

test("copyTree() goes on where it was cut off", async () => {
  fillTree(from(), [1_000_000, 1_000_000, 1_000_000]);
  const stop = new AbortController();
  const onBytes = (done: number) => done > 1_500_000 && stop.abort(new Error("cut"));
  await expect(copyTree(from(), to(), { method: "copy", onBytes }, stop.signal)).rejects.toThrow("cut");
  await copyTree(from(), to(), { method: "copy", onBytes: () => undefined }, signal);
  expect(treeLines(to())).toEqual(treeLines(from()));
});

test("copyTree() keeps holes and names of one file, and leaves out what has no content", async () => {
  writeFileSync(join(from(), "sparse"), "begin");
  truncateSync(join(from(), "sparse"), 64 << 20);
  writeFileSync(join(from(), "one"), "same");
  linkSync(join(from(), "one"), join(from(), "two"));
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(join(from(), "socket"), resolve));
  const { left } = await copyTree(from(), to(), { method: "copy", onBytes: () => undefined }, signal);
  await new Promise((resolve) => server.close(resolve));
  expect(left).toBe(1);
  expect(lstatSync(join(to(), "sparse")).size).toBe(64 << 20);
  expect(lstatSync(join(to(), "sparse")).blocks).toBeLessThan(10_000);
  expect(lstatSync(join(to(), "one")).ino).toBe(lstatSync(join(to(), "two")).ino);
});

test("copyTree() of a folder that is not there fails", async () => {
  await expect(
    copyTree(join(folder, "no"), to(), { method: "copy", onBytes: () => undefined }, signal),
  ).rejects.toThrow("ENOENT");
});
