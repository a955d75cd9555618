import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";

/** What a process has moved so far; each part only where the system tells it. */
export interface Counters {
  readonly io?: { readonly read: number; readonly written: number };
  readonly net?: { readonly sent: number; readonly received: number };
}

/** What is counted. */
export interface CountersOptions {
  /** Off where a process each second is too much: `ss` is one. */
  readonly sockets?: boolean;
}

/** Counts what a process reads and writes, and what goes through its sockets (Linux: /proc and `ss`). */
export class ProcessCounters {
  readonly #pid: number;
  readonly #options: CountersOptions;
  /** By both ends of a connection, since what it carried is gone when it closes. Bounded by `maxConnections`. */
  readonly #connections = new Map<string, readonly [sent: number, received: number]>();
  #closed: readonly [sent: number, received: number] = [0, 0];

  constructor(pid: number, options: CountersOptions = {}) {
    this.#pid = pid;
    this.#options = options;
  }

  async read(): Promise<Counters> {
    const [io, net] = await Promise.all([this.#io(), this.#net()]);
    return { ...(io && { io }), ...(net && { net }) };
  }

  async #io(): Promise<Counters["io"]> {
    const text = await readFile(`/proc/${this.#pid}/io`, "utf8").catch(() => ""); // gone, or not Linux
    const field = (name: string) => Number(new RegExp(`^${name}: (\\d+)$`, "m").exec(text)?.[1]);
    const [read, written] = [field("rchar"), field("wchar")];
    return Number.isFinite(read) && Number.isFinite(written) ? { read, written } : undefined;
  }

  async #net(): Promise<Counters["net"]> {
    const text = this.#options.sockets === false ? undefined : await sockets();
    if (text === undefined) return undefined;
    for (const [ends, carried] of connectionsOf(text, this.#pid)) this.#connections.set(ends, carried);
    while (this.#connections.size > maxConnections) this.#drop();
    let [sent, received] = this.#closed;
    for (const each of this.#connections.values()) [sent, received] = [sent + each[0], received + each[1]];
    return { sent, received };
  }

  #drop(): void {
    const [oldest] = this.#connections;
    if (!oldest) return;
    this.#connections.delete(oldest[0]);
    this.#closed = [this.#closed[0] + oldest[1][0], this.#closed[1] + oldest[1][1]];
  }
}

const maxConnections = 4_096;

/** The connections of a process in what `ss -tinpOH` prints, with the bytes each has carried. */
export function connectionsOf(text: string, pid: number): [string, readonly [number, number]][] {
  return text.split("\n").flatMap((line): [string, readonly [number, number]][] => {
    if (!line.includes(`pid=${pid},`)) return [];
    const ends = /\S+:\d+\s+\S+:\d+/.exec(line)?.[0];
    if (ends === undefined) return [];
    const field = (name: string) => Number(new RegExp(`\\b${name}:(\\d+)`).exec(line)?.[1] ?? 0);
    return [[ends.replace(/\s+/, " "), [field("bytes_sent"), field("bytes_received")]]];
  });
}

function sockets(): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile("ss", ["-tinpOH"], { maxBuffer: 8 * 1024 * 1024, timeout: 2_000 }, (error, out) =>
      resolve(error ? undefined : out),
    );
  });
}
