import { readdir, readFile, readlink } from "node:fs/promises";
import { join } from "node:path";

/** One look at a mover's process. */
export interface Look {
  /** The kernel's letter: R runs, S sleeps, D waits for a disk, T is stopped, Z has ended. */
  readonly state: string;
  /** What it read and wrote so far: files, pipes and sockets alike, what it prints left out. */
  readonly readBytes: number;
  readonly writtenBytes: number;
  /** Hundredths of a second that it has computed; absent where nobody counts them. */
  readonly cpuTicks?: number;
}

/** Hears once a second what the mover's process does, where the system tells it. */
export type OnLook = (look: Look, pid: number) => void;

/** Less than this from one look to the next is no work: a mover that hangs still prints, and its runtime wakes up. */
const idleBytes = 2_048;
/** A tenth of a second of computing from one look to the next is work as well: an index is read in memory. */
const idleTicks = 10;
/** What has come together over many looks is work, however slow the link is. */
const slowBytes = 65_536;

/** Whether a mover works, judged by what its process does; what it prints is another matter. */
export class Vitals {
  #last: number | undefined;
  #atLastMove = 0;
  #ticks = 0;
  #busyAt: number | undefined;
  #stoppedAt: number | undefined;
  #queued: number | undefined;

  /** Epoch ms of the last look that found it at work. */
  get busyAt(): number | undefined {
    return this.#busyAt;
  }

  /** Since when every look found it stopped. */
  get stoppedAt(): number | undefined {
    return this.#stoppedAt;
  }

  take({ state, readBytes, writtenBytes, cpuTicks = 0 }: Look, nowMs: number): void {
    const bytes = readBytes + writtenBytes;
    this.#stoppedAt = state === "T" || state === "t" ? (this.#stoppedAt ?? nowMs) : undefined;
    const moved =
      this.#last === undefined ||
      bytes - this.#last >= idleBytes ||
      bytes - this.#atLastMove >= slowBytes ||
      cpuTicks - this.#ticks >= idleTicks;
    this.#last = bytes;
    this.#ticks = cpuTicks;
    if (!moved) return;
    this.#atLastMove = bytes;
    this.#busyAt = nowMs;
    this.#queued = undefined;
  }

  /** A mover may wait for minutes until a slow link has taken what it wrote long ago: while that becomes less, it works. */
  drains({ queuedBytes }: Pick<Connection, "queuedBytes">, nowMs: number): void {
    if (this.#queued !== undefined && this.#queued - queuedBytes < idleBytes) return;
    if (this.#queued !== undefined) this.#busyAt = nowMs;
    this.#queued = queuedBytes;
  }
}

/** Looks at a process; undefined when it is gone, is not ours, or the system has no /proc. */
export async function lookAt(pid: number, proc = "/proc"): Promise<Look | undefined> {
  try {
    const folder = join(proc, String(pid));
    const [stat, io] = [
      await readFile(join(folder, "stat"), "utf8"),
      await readFile(join(folder, "io"), "utf8"),
    ];
    // The name in brackets may hold anything, brackets and spaces too.
    const [state = "", ...numbers] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const cpuTicks = Number(numbers[10] ?? 0) + Number(numbers[11] ?? 0); // utime and stime
    const counted = (name: string) =>
      Number(new RegExp(`^${name}: (\\d+)$`, "m").exec(io)?.[1] ?? Number.NaN);
    const [readBytes, writtenBytes] = [counted("rchar"), counted("wchar")];
    return Number.isNaN(readBytes + writtenBytes) ? undefined : { state, readBytes, writtenBytes, cpuTicks };
  } catch {
    return undefined; // a look that fails says nothing
  }
}

/** What a process waits for at the other end of its connections. */
export interface Connection {
  /** It has a connection, or waits for one. */
  readonly isOpen: boolean;
  /** What it wrote and the other end has not yet taken. */
  readonly queuedBytes: number;
}

const none: Connection = { isOpen: false, queuedBytes: 0 };

/** The connections of a process, all together. */
export async function connectionOf(pid: number, proc = "/proc"): Promise<Connection> {
  try {
    const folder = join(proc, String(pid));
    const inodes = new Set<string>();
    for (const fd of await readdir(join(folder, "fd"))) {
      const target = await readlink(join(folder, "fd", fd)).catch(() => ""); // closed meanwhile
      const inode = /^socket:\[(\d+)\]$/.exec(target)?.[1];
      if (inode !== undefined) inodes.add(inode);
    }
    let [isOpen, queuedBytes] = [false, 0];
    for (const table of ["tcp", "tcp6"]) {
      const rows = await readFile(join(folder, "net", table), "utf8").catch(() => "");
      for (const row of rows.split("\n").slice(1)) {
        // sl local remote state tx:rx timer retransmits uid timeout inode; 01 is established, 02 waits for an answer
        const [, , , state = "", queues = "", , , , , inode = ""] = row.trim().split(/\s+/);
        if ((state !== "01" && state !== "02") || !inodes.has(inode)) continue;
        isOpen = true;
        queuedBytes += Number.parseInt(queues, 16) || 0; // up to the colon
      }
    }
    return { isOpen, queuedBytes };
  } catch {
    return none; // gone, or not ours to look at
  }
}
