import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/** Processes that carry this owner in their environment (`MoverOptions.owner`): movers of an earlier life of the same agent. */
export async function orphans(owner: string, proc = "/proc"): Promise<number[]> {
  const found: number[] = [];
  for (const name of await readdir(proc).catch(() => [])) {
    if (!/^\d+$/.test(name)) continue;
    // Gone meanwhile, or of another user: not ours to end.
    const environ = await readFile(join(proc, name, "environ"), "utf8").catch(() => "");
    if (environ.split("\0").includes(`HEADWAY_OWNER=${owner}`)) found.push(Number(name));
  }
  return found.filter((pid) => pid !== process.pid);
}

/** Ends them, and returns how many there were. Two movers must not write into one volume or compete for its numbers. */
export async function endOrphans(owner: string): Promise<number> {
  const pids = await orphans(owner);
  for (const pid of pids) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It ended by itself.
    }
  }
  return pids.length;
}
