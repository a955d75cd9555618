import { readdir, readFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";

/** Ends the processes that an earlier life of this owner left, and returns how many there were. */
export async function endOrphans(owner: string, signal: AbortSignal, proc = "/proc"): Promise<number> {
  const found = await ownedBy(owner, proc);
  for (const pid of found) kill(pid);
  for (let left = found; left.length > 0; ) {
    await pause(50, undefined, { signal });
    left = (await ownedBy(owner, proc)).filter((pid) => found.includes(pid));
  }
  return found.length;
}

/** Process ids whose environment names the owner; movers are started with it. */
async function ownedBy(owner: string, proc: string): Promise<number[]> {
  const names = await readdir(proc).catch(() => []); // no /proc: nothing can be found, and nothing is
  const pids = names.filter((name) => /^\d+$/.test(name)).map(Number);
  const owned: number[] = [];
  for (const pid of pids) {
    // Gone meanwhile, or not ours to look at. A process that has ended and waits for its parent has none left.
    const environment = await readFile(`${proc}/${pid}/environ`, "latin1").catch(() => "");
    if (environment.split("\0").includes(`HEADWAY_OWNER=${owner}`)) owned.push(pid);
  }
  return owned;
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // it ended by itself
  }
}
