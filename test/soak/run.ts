// Kills operators, agents and movers with -9 at random moments of backups, restores, actions and migrations on embedded clusters,
// and compares every byte afterwards: `npm run soak -- [--kills N] [--seed N]`. Exits with 1 when anything differs.
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import type { Uploader } from "../../src/engines/podvolume/index.ts";
import { findTestMover } from "../harness/movers.ts";
import { seededRandom } from "../harness/random.ts";
import { action, backupAndRestore, type Killer, migration, moverRuns, type RoundResult } from "./rounds.ts";
import { openSoakWorld, type SoakWorld } from "./world.ts";

const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "60" },
    seed: { type: "string", default: String(Math.floor(Math.random() * 1e9)) },
  },
});
const wanted = Number(values.kills);
const random = seededRandom(Number(values.seed));
const began = performance.now();
const results: RoundResult[] = [];
const broken: string[] = [];
const counts = new Map<string, number>();
let [kills, late, ended] = [0, 0, 0];

const uploaders = (["restic", "kopia"] as const).filter((kind) => {
  const found = findTestMover(kind);
  if ("missing" in found) console.log(`skipped: ${found.missing}`);
  return !("missing" in found);
});
if (uploaders.length === 0) throw new Error("there is no mover here, so that there is nothing to kill");
console.log(`${wanted} kills, seed ${values.seed}, movers ${uploaders.join(" and ")}`);
for (const [i, uploader] of uploaders.entries()) {
  await soak(uploader, Math.ceil((wanted * (i + 1)) / uploaders.length));
}
summary();

async function soak(uploader: Uploader, until: number): Promise<void> {
  const world = await openSoakWorld(uploader);
  try {
    for (let round = 0; kills < until; round += 1)
      await oneRound(world, `${uploader}-${round}`, round, until);
  } finally {
    for (const side of [world.blue, world.green]) {
      ended += side.ends.ended;
      broken.push(...side.ends.broken);
    }
    await world.close();
  }
}

async function oneRound(world: SoakWorld, name: string, round: number, until: number): Promise<void> {
  const work = [backupAndRestore, action, backupAndRestore, migration][round % 4] ?? backupAndRestore;
  const times = work === migration ? 3 : 1;
  const result = await work(world, name, killer(world, times, until));
  results.push(result);
  for (const fault of result.faults) console.log(`WRONG ${fault}`);
}

/** Kills up to `times` times while the run goes on. */
function killer(world: SoakWorld, times: number, until: number): Killer {
  return async (run) => {
    for (let i = 0; i < times && kills < until; i += 1) {
      const [side, victim] = run.victims[Math.floor(random() * run.victims.length)] ?? [];
      if (!side || !victim) return;
      const delayMs = Math.round(random() * (victim === "mover" ? 200 : 1_500));
      if (victim === "mover" && !(await moverRuns(run, side))) break;
      await pause(delayMs);
      const phase = await run.phase();
      const where = side === world.blue ? "" : " of the other cluster";
      const killed = phase === undefined ? 0 : await side.victims.kill(victim);
      if (killed === 0) {
        late += 1; // the run, or its mover, was faster
        continue;
      }
      kills += 1;
      const flow = run.name.split(" ")[0] ?? "";
      for (const key of [victim, flow]) counts.set(key, (counts.get(key) ?? 0) + 1);
      const at = ((performance.now() - began) / 1000).toFixed(1);
      console.log(`kill ${kills} at ${at} s: ${victim}${where}, ${run.name} in ${phase}`);
    }
  };
}

function summary(): void {
  const faults = [...results.flatMap((result) => result.faults), ...broken];
  const of = (...keys: string[]) => keys.map((key) => `${key} ${counts.get(key) ?? 0}`).join(", ");
  const compared = results.reduce((sum, result) => sum + result.compared, 0);
  console.log(
    `${kills} kills in ${Math.round((performance.now() - began) / 1000)} s (${late} more came too late)`,
  );
  console.log(
    `killed: ${of("operator", "agent", "mover")}; during: ${of("backup", "restore", "action", "migration")}`,
  );
  console.log(
    `${results.length} rounds, ${compared} volumes, files and logs of commands compared, ${results.filter((one) => one.faults.length > 0).length} rounds wrong`,
  );
  console.log(`${ended} runs and copies ended, ${broken.length} ended twice or fell back`);
  for (const fault of faults) console.log(`WRONG ${fault}`);
  console.log(faults.length === 0 ? "all bytes equal, each run ended once" : "NOT all is well");
  if (faults.length > 0 || kills < wanted) process.exitCode = 1;
}
