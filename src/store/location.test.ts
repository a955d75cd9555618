import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { lacksBucket, makeBucket, openStore } from "./location.ts";

const root = await mkdtemp(join(tmpdir(), "location-"));
afterAll(() => rm(root, { recursive: true, force: true }));

test("openStore() opens a folder with its bucket and prefix", async () => {
  const spec = { provider: "filesystem", bucket: "b", prefix: "p/q", config: { path: root } };
  await makeBucket(spec);
  const store = await openStore(spec);
  await store.put("backups/x/y", Buffer.from("x"));
  expect(store.place).toBe(join(root, "b/p/q"));
  const whole = await openStore({ ...spec, prefix: "" });
  expect(await whole.head("p/q/backups/x/y")).toBeDefined();
});

test("openStore() opens a bucket without asking it", async () => {
  const store = await openStore({
    provider: "velero.io/aws",
    bucket: "b",
    prefix: "p",
    config: { region: "x" },
  });
  expect(store.place).toBe('bucket "b" at S3 in x/p');
});

test("openStore() does not take a missing folder for an empty one", async () => {
  const spec = { provider: "filesystem", bucket: "b", config: { path: join(root, "unmounted") } };
  await expect(openStore(spec)).rejects.toMatchObject({ code: "STORE_MISSING" });
});

test("openStore() makes nothing below a mount point, and neither does a store whose folder went away", async () => {
  const path = join(root, "mount-point");
  await mkdir(path);
  const spec = { provider: "filesystem", bucket: "b", config: { path } };
  await expect(openStore(spec)).rejects.toMatchObject({ code: "STORE_MISSING" });
  expect(await readdir(path)).toEqual([]);
  await makeBucket(spec);
  const store = await openStore(spec);
  await rm(join(path, "b"), { recursive: true });
  await expect(store.put("backups/x/y", Buffer.from("x"))).rejects.toMatchObject({ code: "STORE_MISSING" });
  expect(await readdir(path)).toEqual([]);
});

test("lacksBucket() tells a bucket that is still to be made from a path that is not there", async () => {
  const path = join(root, "lacking");
  const spec = { provider: "filesystem", bucket: "b", config: { path } };
  await expect(lacksBucket(spec)).rejects.toMatchObject({ code: "STORE_MISSING" });
  await mkdir(path);
  expect(await lacksBucket(spec)).toBe(true);
  await makeBucket(spec);
  expect(await lacksBucket(spec)).toBe(false);
  expect(await lacksBucket({ provider: "aws", bucket: "b", config: {} })).toBe(false);
});

test("makeBucket() needs the path above, and has nothing to do for other stores", async () => {
  const spec = { provider: "filesystem", bucket: "b", config: { path: join(root, "unmounted") } };
  await expect(makeBucket(spec)).rejects.toMatchObject({ code: "STORE_MISSING" });
  await makeBucket({ provider: "aws", bucket: "b", config: {} });
});

test.each([
  ["an unknown provider", { provider: "swift" }, '"swift" is none of "aws", "azure", "gcp", "filesystem"'],
  ["no path", { config: {} }, "is missing"],
  ["a relative path", { config: { path: "data" } }, '"data" is not absolute'],
  ["an unknown key", { config: { path: root, region: "x" } }, '"region"'],
  ["a bucket with a slash", { bucket: "a/b" }, '"a/b"'],
  ["a file", { config: { path: join(root, "file") } }, "is not a folder"],
])("openStore() refuses %s", async (_name, change, want) => {
  await writeFile(join(root, "file"), "");
  const spec = { provider: "filesystem", bucket: "b", config: { path: root }, ...change };
  await expect(openStore(spec)).rejects.toMatchObject({
    code: "STORE_CONFIG",
    message: expect.stringContaining(want),
  });
});
