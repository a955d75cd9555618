import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Remembers on disk which processes were started, so that the next start can end what a killed one left behind. */
export class Processes {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
    mkdirSync(folder, { recursive: true });
  }

  /** Notes a process group that was just started. */
  add(pid: number): void {
    const start = startTime(pid);
    if (start !== undefined) writeFileSync(join(this.#folder, `${pid}-${start}`), "");
  }

  /** Forgets one that ended. */
  remove(pid: number): void {
    for (const name of readdirSync(this.#folder)) {
      if (name.startsWith(`${pid}-`)) rmSync(join(this.#folder, name), { force: true });
    }
  }

  /** Ends every noted process that is still the same one; a reused pid has another start time. */
  endLeftovers(): number {
    let ended = 0;
    for (const name of readdirSync(this.#folder)) {
      const [pid = 0, start = 0] = name.split("-").map(Number);
      if (startTime(pid) === start && killGroup(pid, "SIGKILL")) ended += 1;
      rmSync(join(this.#folder, name), { force: true });
    }
    return ended;
  }
}

/** The start time of a process in clock ticks since boot; undefined when there is none. */
function startTime(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The second field is the name in parentheses and may contain spaces.
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19]);
  } catch {
    return undefined;
  }
}

/** Signals a process group; false when it is gone. */
export function killGroup(pid: number, signal: NodeJS.Signals): boolean {
  try {
    process.kill(-pid, signal);
    return true;
  } catch {
    return false;
  }
}
