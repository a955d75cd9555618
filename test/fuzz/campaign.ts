import { Worker } from "node:worker_threads";
import type { Case } from "./target.ts";
import type { TargetName } from "./targets.ts";
import type { Found, Work } from "./thread.ts";

/** What a case may take: processor time, so that a busy machine hangs nothing, and time in all for one that only waits. */
const usual = { cpuMs: 2_000, wallMs: 20_000 };
/** Until a thread has loaded what it tests, also on a busy machine. */
const loadMs = 60_000;
/** What the heap of a thread may take: more ends it. */
const heapMb = 256;
/** What the whole process may grow by: buffers lie outside of the heap. */
const growthBytes = 640 * 1024 ** 2;
const lookMs = 50;

/** What one target was given and what came of it. */
export interface Campaign {
  readonly target: TargetName;
  readonly seed: number;
  readonly runs: number;
  readonly refused: number;
  readonly seconds: number;
  readonly slowestMs: number;
  readonly slowestAt: number;
  /** How far the process grew at most. */
  readonly grownMb: number;
  readonly failures: readonly Failure[];
}

/** One fault that was found, with the first case that shows it. */
export interface Failure {
  readonly what: "crash" | "hang" | "memory";
  readonly fault: string;
  readonly words: string;
  readonly at: number;
  /** Absent when only the number of the case is known. */
  readonly given?: Case | undefined;
}

/** Runs a target in a thread that is ended when a case takes too long or too much. */
export function runCampaign(given: Omit<Work, "at">, { cpuMs, wallMs } = usual): Promise<Campaign> {
  const at = new Float64Array(new SharedArrayBuffer(8)).fill(-1);
  const begun = performance.now();
  const baseBytes = process.memoryUsage.rss();
  const failures: Failure[] = [];
  let [done, refused, slowestMs, slowestAt, grown] = [0, 0, 0, 0, 0];
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL("./thread.ts", import.meta.url), {
      workerData: { ...given, at },
      resourceLimits: { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: 32, stackSizeMb: 1 },
      execArgv: [],
    });
    let isOver = false;
    const give = (what: Failure["what"], words: string) => {
      if (isOver) return;
      isOver = true;
      failures.push({ what, fault: what, words, at: at[0] ?? -1 });
      void worker.terminate();
    };
    let [last, lastMs, lastCpu] = [-1, performance.now(), cpuTime()];
    const timer = setInterval(() => {
      const [now, nowMs] = [at[0] ?? -1, performance.now()];
      grown = Math.max(grown, process.memoryUsage.rss() - baseBytes);
      if (now !== last) [last, lastMs, lastCpu] = [now, nowMs, cpuTime()];
      const [took, used] = [nowMs - lastMs, cpuTime() - lastCpu];
      if (now < 0 ? took > loadMs : took > wallMs || used > cpuMs) {
        give("hang", `no end after ${Math.round(took)} ms, ${Math.round(used)} ms of them at work`);
      }
      if (grown > growthBytes) give("memory", `the process grew by ${megabytes(grown)} MiB`);
    }, lookMs);
    worker.on("message", (found: Found) => {
      if ("fault" in found) failures.push({ what: "crash", ...found });
      else ({ done, refused, slowestMs, slowestAt } = found);
    });
    worker.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "ERR_WORKER_OUT_OF_MEMORY") give("memory", `the heap went past ${heapMb} MiB`);
      else if ((at[0] ?? -1) < 0)
        reject(error); // the target itself cannot be loaded
      else
        failures.push({
          what: "crash",
          fault: "uncaught",
          words: error.stack ?? error.message,
          at: at[0] ?? -1,
        });
    });
    worker.on("exit", () => {
      clearInterval(timer);
      if (done === 0 && failures.length === 0) give("crash", "the thread ended without an answer");
      const { target, seed, from } = given;
      const seconds = (performance.now() - begun) / 1000;
      const runs = done || Math.max(0, (at[0] ?? -1) - from + 1);
      resolve({
        target,
        seed,
        runs,
        refused,
        seconds,
        slowestMs,
        slowestAt,
        grownMb: megabytes(grown),
        failures,
      });
    });
  });
}

/** Of the whole process: this thread only looks. */
function cpuTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function megabytes(bytes: number): number {
  return Math.round(bytes / 1024 ** 2);
}
