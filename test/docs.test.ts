import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { resourceFor } from "../src/cli/demo/chapter.ts";
import { untilFilled } from "../src/cli/demo/data.ts";
import { shopManifests } from "../src/cli/demo/shop.ts";
import { connect } from "../src/kube/index.ts";
import { findMovers, moverFolders } from "../src/movers/index.ts";
import { blocksOf, commandsOf, isRunnable, markFaults } from "./harness/console-blocks.ts";
import { launcher } from "./harness/headway-process.ts";

const repository = join(import.meta.dirname, "..");
const docs = readdirSync(join(repository, "docs"))
  .filter((name) => name.endsWith(".md") && name !== "cli.md" && name !== "architecture.md")
  .map((name) => `docs/${name}`);
const pages = ["README.md", ...docs].map((name) => ({
  name,
  blocks: blocksOf(readFileSync(join(repository, name), "utf8")),
}));
const runnable = pages.filter(({ blocks }) => blocks.some(isRunnable));

test.each(pages)("$name says of every block of commands whether it runs, and why not", ({ blocks }) => {
  expect(markFaults(blocks)).toEqual([]);
});

test("there is something to run", () => {
  expect(runnable.map(({ name }) => name)).toEqual(
    expect.arrayContaining(["README.md", "docs/010-try-it.md", "docs/030-backup-and-restore.md"]),
  );
});

const noMover = (["kopia", "restic"] as const).every((kind) => findMovers(kind, moverFolders()).length === 0);
const skip = noMover ? "no restic or kopia on PATH" : process.getuid?.() !== 0 ? "not root" : undefined;

describe.skipIf(skip !== undefined)(`commands run as they are printed${skip ? ` (${skip})` : ""}`, () => {
  const folder = mkdtempSync(join(tmpdir(), "docs-"));
  const program = join(folder, "headway");
  let env: NodeJS.ProcessEnv;

  /** Two clusters with Headway on them and the demo's shop on the first, as `headway demo --keep` leaves them. */
  beforeAll(async () => {
    writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${launcher}' "$@"\n`);
    chmodSync(program, 0o755);
    env = { ...process.env, PATH: `${folder}:${process.env["PATH"]}`, XDG_STATE_HOME: join(folder, "state") };
    const begun = spawnSync(program, ["local", "up", "--with-operator", "--clusters", "2"], {
      encoding: "utf8",
      env,
    });
    expect(begun.status, begun.stderr).toBe(0);
    env = { ...env, KUBECONFIG: begun.stdout.trim() };
    const client = await connect({ kubeconfig: begun.stdout.trim() });
    const { signal } = new AbortController();
    for (const manifest of shopManifests(4, "docker.io/local/tools:1")) {
      await client.create(await resourceFor(client, manifest, signal), manifest, {}, signal);
    }
    await untilFilled(client, 120_000, signal);
    client.close();
  });
  afterAll(() => {
    spawnSync(program, ["local", "down", "--purge"], { env });
    rmSync(folder, { recursive: true, force: true });
  });

  test.each(runnable)("$name", { timeout: 180_000 }, ({ name, blocks }) => {
    const place = join(folder, name.replaceAll("/", "-"));
    mkdirSync(place);
    const commands = blocks.filter(isRunnable).flatMap(commandsOf);
    for (const command of commands) {
      const { status, stdout, stderr } = spawnSync("bash", ["-c", command], {
        encoding: "utf8",
        env,
        cwd: place,
      });
      expect(status, `${command}\n${stdout}\n${stderr}`).toBe(0);
    }
  });
});
