import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { listMovers, makeMover } from "./list.ts";

const root = await mkdtemp(join(tmpdir(), "list-"));
afterAll(() => rm(root, { recursive: true, force: true }));

async function program(folder: string, kind: string, says: string): Promise<string> {
  await mkdir(join(root, folder), { recursive: true });
  const path = join(root, folder, kind);
  await writeFile(path, `#!/bin/sh\necho '${says}'\n`);
  await chmod(path, 0o755);
  return path;
}

test("listMovers() finds all, tells too old and strange ones, and uses the first good one", async () => {
  const odd = await program("1", "restic", "rustic 1.0");
  const old = await program("2", "restic", "restic 0.12.1 compiled");
  const good = await program("3", "restic", "restic 0.14.0 compiled");
  const newer = await program("4", "restic", "restic 0.18.0 compiled");
  const kopia = await program("4", "kopia", "v0.21.1 build: x from: y");
  const folders = ["1", "2", "3", "4"].map((name) => join(root, name));
  expect(await listMovers(folders)).toEqual([
    { kind: "kopia", program: kopia, version: "0.21.1", supported: true, used: true },
    { kind: "restic", program: odd, supported: false, used: false },
    { kind: "restic", program: old, version: "0.12.1", supported: false, used: false },
    { kind: "restic", program: good, version: "0.14.0", supported: true, used: true },
    { kind: "restic", program: newer, version: "0.18.0", supported: true, used: false },
  ]);
});

test("makeMover() makes either", () => {
  const options = { program: "/x", scratch: "/y" };
  expect(makeMover("restic", options).kind).toBe("restic");
  expect(makeMover("kopia", options).kind).toBe("kopia");
});
