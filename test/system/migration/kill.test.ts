import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { kinds, type MigMigration } from "../../../src/api/index.ts";
import { itineraries } from "../../../src/engines/migration/index.ts";
import { resourceOf } from "../../../src/kube/index.ts";
import { killHard } from "../../harness/agent-process.ts";
import { follow } from "../../harness/backup-stage.ts";
import { type LightWorld, noLightWorld, openLightWorld } from "../../harness/light-migration.ts";

// HEADWAY_EVERY_PHASE=1: the operator is killed at every phase; otherwise at every sixth.
const every = process.env["HEADWAY_EVERY_PHASE"] === "1" ? 1 : 6;
const why = noLightWorld();
if (why) console.log(`kills of the operator are skipped: ${why}`);

let world: LightWorld;
let folder: string;
const running: ChildProcess[] = [];
beforeAll(async () => {
  if (why) return;
  world = await openLightWorld();
  folder = mkdtempSync(join(tmpdir(), "migration-kill-"));
}, 120_000);
afterAll(async () => {
  for (const child of running) await killHard(child);
  await world?.close();
  if (folder) rmSync(folder, { recursive: true, force: true });
}, 60_000);

/** `headway operator` with the migration controllers alone, as a process to be killed. */
function host(): ChildProcess {
  const kubeconfig = join(folder, "kubeconfig");
  const entry = (key: string, value: object) => [{ name: "green", [key]: value }];
  const config = {
    apiVersion: "v1",
    kind: "Config",
    clusters: entry("cluster", { server: world.proxies.green.url }),
    users: entry("user", {}),
    contexts: entry("context", { cluster: "green", user: "green" }),
    "current-context": "green",
  };
  writeFileSync(kubeconfig, JSON.stringify(config));
  const launcher = join(import.meta.dirname, "../../../bin/headway.js");
  const flags = [
    "--kubeconfig",
    kubeconfig,
    "--namespace",
    world.server,
    "--controllers",
    "migration",
    "--stage-image",
    "none",
  ];
  const child = spawn(
    process.execPath,
    [launcher, "operator", ...flags, "--no-leader-election", "--no-serve"],
    {
      stdio: ["ignore", "ignore", process.env["HEADWAY_TEST_LOG"] ? "inherit" : "ignore"],
    },
  );
  running.push(child);
  return child;
}

test.skipIf(why !== undefined)(
  `an operator that is killed at phases of a migration (each ${every === 1 ? "" : `${every}th`}) goes on after its restart`,
  async () => {
    // Slow enough that a phase is still being done when its name is read.
    world.proxies.green.fault = ({ watch }) => (watch ? undefined : { kind: "delay", ms: 40 });
    const phases = itineraries.Final.map(({ phase }) => phase).filter((phase) => phase !== "Completed");
    const doomed = phases.filter((_, i) => i % every === 0);
    const killedAt: string[] = [];
    let child = host();
    const stop = new AbortController();
    const run = await world.run("killed");
    const seen = follow<MigMigration>(world.green, resourceOf(kinds.MigMigration), run, stop.signal);
    for await (const { status } of seen) {
      if (status?.phase === "Completed") break;
      const phase = status?.itinerary ? status.phase || "Created" : "";
      if (!doomed.some((name) => name === phase) || killedAt.includes(phase)) continue;
      killedAt.push(phase);
      await killHard(child);
      child = host();
    }
    stop.abort();
    const { status } = await world.ended("killed");
    expect(killedAt).toEqual(doomed);
    expect(status?.errors).toBeUndefined();
    expect(status?.conditions?.map(({ type }) => type)).toEqual(["Succeeded"]);
    expect(status?.pipeline?.every(({ message }) => message === "Completed")).toBe(true);
    const backups = await world.blue.list(resourceOf(kinds.Backup), { namespace: world.server });
    const restores = await world.green.list(resourceOf(kinds.Restore), { namespace: world.server });
    expect([backups.length, restores.length], "nothing was made twice").toEqual([2, 2]);
  },
  400_000,
);
