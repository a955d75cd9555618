import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { killHard } from "../../harness/agent-process.ts";
import { DrillWorld, drillControllers } from "../../harness/drill-world.ts";
import { eventually } from "../../harness/eventually.ts";
import { launcher } from "../../harness/headway-process.ts";
import { findTestMover, testMoverFolders } from "../../harness/movers.ts";
import { failOnUnhandled } from "../../harness/unhandled.ts";

// The operator is a process of its own here, killed with -9 in each step of drills and started again.
const rounds = process.env["HEADWAY_LONG"] === "1" ? 20 : 2;
const found = findTestMover("restic");
const skip = "missing" in found ? found.missing : undefined;
let world: DrillWorld;
let operator: ChildProcess | undefined;

beforeAll(async () => {
  if (skip !== undefined) return;
  world = await DrillWorld.open({ operator: false });
  start();
  await world.app("shop", "words");
  await world.filled("shop");
  await world.backup("b", ["shop"]);
});
afterAll(async () => {
  await kill();
  await world?.close();
});

test.skipIf(skip !== undefined)(
  `a drill whose operator is killed at random moments ends well, and leaves nothing${skip ? ` (${skip})` : ""}`,
  async () => {
    const moments: string[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const name = `killed-${round}`;
      await world.drill(name, {
        backupName: "b",
        checks: [{ name: "words", exec: { pod: "web", command: ["test", "-e", "/data/words"] } }],
      });
      // Spread over the run: each round waits for a phase of its own, and the moment in it is that of the look.
      const phases = ["Preparing", "Restoring", "Checking", "CleaningUp"];
      const at = phases.slice(Math.floor(Math.random() * phases.length));
      const seen = await eventually(
        async () => (await world.getDrill(name))?.status?.phase ?? "New",
        (phase) => at.includes(phase) || phase === "Completed",
        120_000,
      );
      await kill();
      moments.push(seen);
      start();
      const { status } = await world.ended(name);
      expect(status?.phase, JSON.stringify([moments, status])).toBe("Completed");
      expect(status?.result).toMatchObject({ volumes: 1, volumesProved: 1 });
      expect(await world.leftovers(), moments.join()).toEqual([]);
    }
    expect(moments).toHaveLength(rounds);
  },
  3_600_000,
);

function start(): void {
  const args = [
    launcher,
    "operator",
    "--kubeconfig",
    world.kubeconfig,
    "--namespace",
    world.namespace,
    "--controllers",
    drillControllers.join(","),
    "--temp-dir",
    join(world.folder, "plane"),
    "--uploader-type",
    "restic",
    "--no-serve",
    // After a kill the lease of the dead one would have to run out, which takes a quarter of a minute each time.
    "--no-leader-election",
  ];
  const env = { ...process.env, HEADWAY_MOVERS: testMoverFolders().join(":") };
  operator = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "pipe"], env });
  if (operator.stderr) failOnUnhandled(operator.stderr);
}

async function kill(): Promise<void> {
  if (operator) await killHard(operator);
}
