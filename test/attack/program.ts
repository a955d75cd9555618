import { readFileSync, writeFileSync } from "node:fs";
import { eventually } from "../harness/eventually.ts";
import { type PipedRun, startWith } from "../harness/headway-process.ts";
import { testMoverFolders } from "../harness/movers.ts";
import { unhandledIn } from "../harness/unhandled.ts";

/** How often the kernel counts processor time in a second. */
const ticks = 100;

/** One of the programs under attack, and what the kernel knows of it. */
export class Program {
  readonly name: string;
  readonly run: PipedRun;
  #exit: number | null | undefined;

  constructor(name: string, args: readonly string[], env: Record<string, string> = {}) {
    this.name = name;
    const path = [...testMoverFolders(), process.env["PATH"]].join(":");
    this.run = startWith({ env: { PATH: path, ...env }, unhandled: "planted" }, args);
    void this.run.ended.then((code) => (this.#exit = code));
  }

  /** What it said that matches, once it did. */
  async said(pattern: RegExp): Promise<string> {
    const text = await eventually(
      () => `${this.run.said()}${this.run.lines().join("\n")}`,
      (all) => pattern.test(all) || this.#exit !== undefined,
    );
    const found = pattern.exec(text);
    if (!found) throw new Error(`${this.name} ended with ${this.#exit}: ${text.slice(-2_000)}`);
    return found[1] ?? "";
  }

  /** Why it is not in order: it ended, or logged an error that nobody handled. */
  fault(): string | undefined {
    if (this.#exit !== undefined)
      return `the ${this.name} ended with ${this.#exit}: ${this.run.said().slice(-500)}`;
    const found = this.run.said().split("\n").map(unhandledIn).find(Boolean);
    return found === undefined ? undefined : `the ${this.name} logged ${found.slice(0, 500)}`;
  }

  /** Memory from here on is measured anew. */
  resetPeak(): void {
    writeFileSync(`/proc/${this.run.pid}/clear_refs`, "5");
  }

  /** The most memory that it had since then, in MiB. */
  peakMiB(): number {
    const [, kilobytes = "0"] =
      /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${this.run.pid}/status`, "utf8")) ?? [];
    return Math.round(Number(kilobytes) / 1024);
  }

  /** Processor time that it took so far, in seconds. */
  cpuSeconds(): number {
    const after = readFileSync(`/proc/${this.run.pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
    return (Number(after[11]) + Number(after[12])) / ticks;
  }

  logLines(): number {
    return this.run.said().split("\n").length;
  }

  async stop(): Promise<void> {
    if (this.#exit !== undefined) return;
    this.run.signal("SIGTERM");
    const late = setTimeout(() => this.run.signal("SIGKILL"), 20_000);
    await this.run.ended;
    clearTimeout(late);
  }
}
