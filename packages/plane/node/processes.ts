import type { ChildProcess } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";

/**
 * The process groups that a node started: those that run, and on disk which they were, so that the next start can end what a
 * killed one left behind. Bounded by what the pods run.
 */
export class Processes {
  readonly #folder: string;
  readonly #running = new Map<number, Promise<void>>();

  constructor(folder: string) {
    this.#folder = folder;
    mkdirSync(folder, { recursive: true });
  }

  /** Notes the leader of a process group that was just started, until it has ended and its output is read. */
  add(child: ChildProcess): void {
    const { pid } = child;
    if (pid === undefined) return; // it did not start, its "error" says why
    const note = join(this.#folder, `${pid}-${startTime(pid)}`);
    writeFileSync(note, "");
    const ended = new Promise<void>((done) => {
      child.once("close", () => {
        rmSync(note, { force: true }); // the folder may be gone as well
        this.#running.delete(pid);
        done();
      });
    });
    this.#running.set(pid, ended);
  }

  /** Kills every group that still runs and returns when all have ended. */
  async endAll(): Promise<void> {
    while (this.#running.size > 0) {
      for (const pid of this.#running.keys()) killGroup(pid, "SIGKILL");
      await Promise.all(this.#running.values());
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
  if (pid <= 0) return false; // 0 would be our own group
  try {
    process.kill(-pid, signal);
    return true;
  } catch {
    return false;
  }
}

/** Kills every process whose file system root is this folder or below it: also one that left its group. */
export function killBelow(folder: string): void {
  for (const name of existsSync("/proc") ? readdirSync("/proc") : []) {
    const pid = Number(name);
    if (pid > 0 && isBelow(rootOf(pid), folder)) killOne(pid);
  }
}

function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

function rootOf(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/root`);
  } catch {
    return ""; // gone, or not ours
  }
}

function killOne(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // gone meanwhile
  }
}
