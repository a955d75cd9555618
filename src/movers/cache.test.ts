import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { trimCache } from "./cache.ts";

const root = await mkdtemp(join(tmpdir(), "cache-"));
afterAll(() => rm(root, { recursive: true, force: true }));

test("trimCache() drops the oldest repositories until the rest fits", async () => {
  for (const [name, age] of [
    ["new", 1],
    ["middle", 2],
    ["old", 3],
  ] as const) {
    await mkdir(join(root, name, "data/ab"), { recursive: true });
    await writeFile(join(root, name, "data/ab/pack"), Buffer.alloc(1000));
    await utimes(join(root, name, "data/ab/pack"), 1_700_000_000 - age, 1_700_000_000 - age);
  }
  await trimCache(root, 3000);
  expect(await readdir(root)).toHaveLength(3);
  await trimCache(root, 1500);
  expect(await readdir(root)).toEqual(["new"]);
  await trimCache(join(root, "nothing"), 1);
});
