import { linkSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { beginRestore, isComplete, markComplete, sizeOf } from "./marker.ts";

const volume = mkdtempSync(join(tmpdir(), "marker-"));
const signal = new AbortController().signal;
afterAll(() => rmSync(volume, { recursive: true }));

test("markComplete() leaves this restore's marker alone in the folder", async () => {
  mkdirSync(join(volume, ".velero"));
  writeFileSync(join(volume, ".velero", "older"), "");
  expect(await isComplete(volume, "uid")).toBe(false);
  await markComplete(volume, "uid");
  expect(await isComplete(volume, "uid")).toBe(true);
  expect(readdirSync(join(volume, ".velero"))).toEqual(["uid"]);
});

test("sizeOf() counts files, not what links name", async () => {
  mkdirSync(join(volume, "deep"));
  writeFileSync(join(volume, "a"), "12345");
  writeFileSync(join(volume, "deep", "b\nc"), "123");
  symlinkSync("/etc/passwd", join(volume, "link"));
  writeFileSync(Buffer.concat([Buffer.from(`${volume}/`), Buffer.from([0xff, 0xfe])]), "1");
  linkSync(join(volume, "a"), join(volume, "same"));
  expect(await sizeOf(volume, signal)).toBe(14);
});

test("beginRestore() removes what an earlier try left of links, when the volume was empty before it", async () => {
  const empty = join(volume, "empty");
  mkdirSync(empty);
  await beginRestore(empty, "uid", signal);
  expect(await isComplete(empty, "uid")).toBe(false);
  writeFileSync(join(empty, "file"), "kept");
  symlinkSync("file", join(empty, "link"));
  await beginRestore(empty, "uid", signal);
  expect(readdirSync(empty)).toEqual([".velero", "file"]);
});

test("beginRestore() removes nothing from a volume that was not empty", async () => {
  const full = join(volume, "full");
  mkdirSync(full);
  symlinkSync("somewhere", join(full, "link"));
  await beginRestore(full, "uid", signal);
  await beginRestore(full, "uid", signal);
  expect(readdirSync(full)).toEqual(["link"]);
});
