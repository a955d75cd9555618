import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { storeConformance } from "./conformance.ts";
import { FilesystemStore } from "./filesystem.ts";

const root = await mkdtemp(join(tmpdir(), "store-"));
afterAll(() => rm(root, { recursive: true, force: true }));

storeConformance({
  name: "FilesystemStore",
  async open() {
    const folder = await mkdtemp(join(root, "conformance-"));
    return { store: new FilesystemStore(folder), close: () => Promise.resolve() };
  },
});

async function fresh(): Promise<{ folder: string; store: FilesystemStore }> {
  const folder = await mkdtemp(join(root, "one-"));
  return { folder, store: new FilesystemStore(folder) };
}

async function keysOf(store: FilesystemStore): Promise<string[]> {
  const found: string[] = [];
  for await (const entry of store.list("")) if ("object" in entry) found.push(entry.object.key);
  return found;
}

test("what a killed writer left behind is not listed and goes with its folder", async () => {
  const { folder, store } = await fresh();
  await mkdir(join(folder, "backups/a"), { recursive: true });
  await writeFile(join(folder, "backups/a/.headway-part-x"), "half");
  expect(await keysOf(store)).toEqual([]);
  for await (const entry of store.list("backups/", { delimiter: "/" })) expect(entry).toBe("nothing");
  await store.deletePrefix("backups/a/");
  expect(await readdir(folder)).toEqual([]);
});

test("a symbolic link is neither read nor listed", async () => {
  const { folder, store } = await fresh();
  await writeFile(join(root, "secret"), "outside");
  await symlink(join(root, "secret"), join(folder, "link"));
  expect(await keysOf(store)).toEqual([]);
  await expect(store.get("link")).rejects.toMatchObject({ code: "STORE_MISSING" });
  expect(await store.head("link")).toBeUndefined();
});

test("a folder that is not there is missing, not empty", async () => {
  const store = new FilesystemStore(join(root, "unmounted"));
  await expect(keysOf(store)).rejects.toMatchObject({ code: "STORE_MISSING" });
});

test("a name cannot be a file and a folder at once", async () => {
  const { store } = await fresh();
  await store.put("a", Buffer.from("x"));
  await expect(store.put("a/b", Buffer.from("x"))).rejects.toMatchObject({ code: "STORE_KEY" });
  await store.put("c/d", Buffer.from("x"));
  await expect(store.put("c", Buffer.from("x"))).rejects.toMatchObject({ code: "STORE_KEY" });
  expect(await keysOf(store)).toEqual(["a", "c/d"]);
});

test("a name that the file system cannot hold is refused as a key", async () => {
  const { store } = await fresh();
  await expect(store.put("n".repeat(300), Buffer.from("x"))).rejects.toMatchObject({ code: "STORE_KEY" });
});

test("a full disk is STORE_FULL and leaves nothing", async ({ skip }) => {
  const folder = await mkdtemp(join(root, "full-"));
  const mount = spawnSync("/bin/mount", ["-t", "tmpfs", "-o", "size=256k", "tmpfs", folder]);
  if (mount.status !== 0) return skip("a small file system cannot be mounted here (needs root)");
  try {
    const store = new FilesystemStore(folder);
    await store.put("small", Buffer.alloc(1000));
    await expect(store.put("big", Buffer.alloc(1_000_000))).rejects.toMatchObject({ code: "STORE_FULL" });
    expect(await readdir(folder)).toEqual(["small"]);
  } finally {
    spawnSync("/bin/umount", [folder]);
  }
});

test("a full disk of the source is not blamed on the store", async () => {
  const { folder, store } = await fresh();
  const fault = Object.assign(new Error("ENOSPC"), { code: "ENOSPC" });
  async function* body(): AsyncGenerator<Uint8Array> {
    yield Buffer.from("x");
    throw fault;
  }
  await expect(store.put("a", body())).rejects.toBe(fault);
  expect(await readdir(folder)).toEqual([]);
});

test("writers and deleters of one folder do not trip over each other", async () => {
  const { store } = await fresh();
  const rounds = Array.from({ length: 100 }, (_, i) => i);
  await Promise.all([
    ...rounds.map((i) => store.put(`x/y/${i % 3}`, Buffer.from(String(i)))),
    ...rounds.map((i) => store.delete(`x/y/${i % 3}`)),
  ]);
  for (const key of await keysOf(store)) expect(key).toMatch(/^x\/y\/[012]$/);
});
