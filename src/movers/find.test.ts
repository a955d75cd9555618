import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { findMovers, moverCache, moverFolders } from "./find.ts";

const root = await mkdtemp(join(tmpdir(), "find-"));
afterAll(() => rm(root, { recursive: true, force: true }));

test("moverFolders() is PATH, then HEADWAY_MOVERS, then the cache", () => {
  const env = { PATH: "/a::/b:/a", HEADWAY_MOVERS: "/c", XDG_CACHE_HOME: "/d" };
  expect(moverFolders(env)).toEqual(["/a", "/b", "/c", "/d/headway/bin"]);
  expect(moverCache({})).toMatch(/\/\.cache\/headway\/bin$/);
});

test("findMovers() takes programs only", async () => {
  for (const name of ["1", "2", "3"]) {
    await mkdir(join(root, name));
    await writeFile(join(root, name, "restic"), "");
    await chmod(join(root, name, "restic"), name === "2" ? 0o644 : 0o755);
  }
  const folders = ["1", "2", "3", "none"].map((name) => join(root, name));
  expect(findMovers("restic", folders)).toEqual([join(root, "1/restic"), join(root, "3/restic")]);
  expect(findMovers("kopia", folders)).toEqual([]);
});
