import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import type { Io } from "../io.ts";

/** What a running cluster process tells about itself in `run.json`. */
export interface Running {
  readonly pid: number;
  /** Start time of the process, so that a reused pid is not mistaken for it. */
  readonly started: string;
  readonly kubeconfig: string;
  readonly clusters: readonly RunningCluster[];
}

/** One cluster of it. */
interface RunningCluster {
  readonly context: string;
  readonly url: string;
  /** The node's name and pods folder, as `headway agent --node … --host-pods …` takes them. */
  readonly node: string;
  readonly hostPods: string;
  /** Whether pods see their volumes at their mount paths. */
  readonly volumes: string;
}

/** The folder of the embedded cluster. */
export function stateFolder(given: string | undefined, io: Io): string {
  if (given !== undefined) return resolve(given);
  const base = io.env["XDG_STATE_HOME"] ?? join(io.env["HOME"] ?? homedir(), ".local", "state");
  return join(base, "headway");
}

/** Where the process describes itself. */
export function runFile(folder: string): string {
  return join(folder, "run.json");
}

/** The cluster process that runs with this state, or undefined. */
export function findRunning(folder: string): Running | undefined {
  let running: Running;
  try {
    running = JSON.parse(readFileSync(runFile(folder), "utf8")) as Running;
  } catch {
    return undefined; // never started, or purged
  }
  return startedAt(running.pid) === running.started ? running : undefined;
}

/** When a process began, in a form that only compares; undefined when there is none. */
export function startedAt(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" ? undefined : fields[19];
  } catch {
    return undefined;
  }
}
