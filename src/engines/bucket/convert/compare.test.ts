import { execFileSync } from "node:child_process";
import {
  chmod,
  link,
  lutimes,
  mkdir,
  mkdtemp,
  rename,
  rm,
  symlink,
  truncate,
  utimes,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { compareFolders } from "./compare.ts";

let root = "";
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "compare-"));
  for (const side of ["a", "b"]) await fill(join(root, side));
});
afterEach(async () => await rm(root, { recursive: true, force: true }));

const at = 1_700_000_000.123;

async function fill(folder: string): Promise<void> {
  await mkdir(join(folder, "deep/er"), { recursive: true });
  await writeFile(join(folder, "deep/er/file"), Buffer.alloc(600_000, 7));
  await chmod(join(folder, "deep/er/file"), 0o644);
  for (const name of ["deep", "deep/er"]) await chmod(join(folder, name), 0o755);
  await writeFile(join(folder, "new\nline"), "x");
  await writeFile(Buffer.from(join(folder, "raw-\xff"), "latin1"), "raw");
  await symlink("nowhere", join(folder, "link"));
  await link(join(folder, "new\nline"), join(folder, "second name"));
  for (const name of ["deep/er/file", "new\nline"]) await utimes(join(folder, name), at, at);
  await utimes(Buffer.from(join(folder, "raw-\xff"), "latin1"), at, at);
  await lutimes(join(folder, "link"), at, at);
}

const compare = () =>
  compareFolders(join(root, "a"), join(root, "b"), () => undefined, new AbortController().signal);

test("compareFolders() finds equal folders equal, and counts", async () => {
  expect(await compare()).toEqual({ files: 5, bytes: 600_005, special: 0, differences: [] });
});

test.each<[string, (side: string) => Promise<unknown>, string]>([
  ["a byte", (b) => rewrite(join(b, "deep/er/file")), "/deep/er/file: its content differs"],
  ["a size", (b) => truncate(join(b, "deep/er/file"), 5), "/deep/er/file: it has 5 bytes, not 600000"],
  ["a mode", (b) => chmod(join(b, "deep/er/file"), 0o600), "/deep/er/file: its mode is 600, not 644"],
  ["the mode of a folder", (b) => chmod(join(b, "deep"), 0o700), "/deep: its mode is 700, not 755"],
  ["a time", (b) => utimes(join(b, "deep/er/file"), at, at + 1), "/deep/er/file: its time differs"],
  ["a target", (b) => relink(join(b, "link")), "/link: it leads elsewhere"],
  ["a file that is missing", (b) => rm(join(b, "new\nline")), "/new\\nline: it is missing"],
  ["a file that is new", (b) => writeFile(join(b, "deep/more"), ""), "/deep/more: it is new"],
  ["a type", (b) => rm(join(b, "link")).then(() => mkdir(join(b, "link"))), "/link: it is of another type"],
])("compareFolders() finds %s", async (_what, change, want) => {
  await change(join(root, "b"));
  expect((await compare()).differences).toEqual([want]);
});

test("compareFolders() finds a name whose bytes were changed", async () => {
  const from = Buffer.from(join(root, "b", "raw-\xff"), "latin1");
  await rename(from, join(root, "b", "raw-\ufffd"));
  expect((await compare()).differences).toHaveLength(2);
});

test("compareFolders() passes over pipes, and tells ten differences at most", async () => {
  execFileSync("mkfifo", [join(root, "a", "pipe")]);
  expect(await compare()).toMatchObject({ special: 1, differences: [] });
  for (let n = 0; n < 30; n += 1) await writeFile(join(root, "b", `new-${n}`), "");
  expect((await compare()).differences).toHaveLength(10);
});

async function rewrite(path: string): Promise<void> {
  await writeFile(path, Buffer.concat([Buffer.alloc(599_999, 7), Buffer.from([8])]));
  await utimes(path, at, at);
}

async function relink(path: string): Promise<void> {
  await rm(path);
  await symlink("elsewhere", path);
}
