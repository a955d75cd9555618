import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import type { Io } from "../io.ts";
import { run } from "../run.ts";

const root = await mkdtemp(join(tmpdir(), "mover-command-"));
afterAll(() => rm(root, { recursive: true, force: true }));

async function headway(env: Record<string, string>, ...argv: string[]) {
  const seen = { out: "", err: "" };
  const io: Io = {
    out: (text) => void (seen.out += text),
    err: (text) => void (seen.err += text),
    env: { XDG_CACHE_HOME: join(root, "cache"), ...env },
    terminal: undefined,
    color: false,
  };
  const code = await run(argv, new AbortController().signal, io);
  return { code, ...seen };
}

async function fake(kind: string, says: string): Promise<void> {
  await writeFile(join(root, kind), `#!/bin/sh\necho '${says}'\n`);
  await chmod(join(root, kind), 0o755);
}

test("mover list exits 1 only when there is no mover at all", async () => {
  const { code } = await headway({ PATH: join(root, "empty") }, "mover", "list");
  expect(code).toBe(1);
});

test("mover list shows what is found and says what is missing", async () => {
  await fake("restic", "restic 0.14.0 compiled");
  const { code, out, err } = await headway({ PATH: root }, "mover", "list");
  expect(code).toBe(0);
  expect(out.split("\n")[1]).toMatch(/^restic {3}0\.14\.0 {4}used {2,}\/.*\/restic$/);
  expect(err).toBe("no usable kopia: headway mover install kopia\n");
});

test("mover list -o json is data", async () => {
  await fake("restic", "restic 0.14.0 compiled");
  const { out } = await headway({ PATH: root }, "mover", "list", "-o", "json");
  expect(JSON.parse(out)).toEqual([
    { kind: "restic", program: join(root, "restic"), version: "0.14.0", supported: true, used: true },
  ]);
});

test("mover install does nothing for what is here, and tells what it would do", async () => {
  await fake("restic", "restic 0.14.0 compiled");
  await fake("go", "");
  const { code, out, err } = await headway({ PATH: root }, "mover", "install", "--dry-run");
  expect({ code, out }).toEqual({ code: 0, out: "" });
  expect(err).toContain(`restic 0.14.0 is here: ${join(root, "restic")}`);
  expect(err).toContain("kopia: built with Go from github.com/kopia/kopia v0.21.1");
});

test("mover install of something else is wrong use", async () => {
  const { code, err } = await headway({ PATH: root }, "mover", "install", "rsync");
  expect(code).toBe(2);
  expect(err).toContain('there is no mover "rsync"');
});
