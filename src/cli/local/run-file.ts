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
  /** Operators and agents beside the clusters. */
  readonly programs?: readonly RunningProgram[];
}

/** A program beside a cluster; it ends with it. */
export interface RunningProgram {
  readonly name: "operator" | "agent";
  readonly context: string;
  readonly pid: number;
  readonly started: string;
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
  /** Where the operator works, and the folder of its logs and its location; absent without one. */
  readonly server?: { readonly namespace: string; readonly folder: string };
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
  const running = lastRun(folder);
  return running && startedAt(running.pid) === running.started ? running : undefined;
}

/** Programs that a cluster process started and left behind, when it was killed. */
export function programsLeft(folder: string): readonly RunningProgram[] {
  return (lastRun(folder)?.programs ?? []).filter(({ pid, started }) => startedAt(pid) === started);
}

function lastRun(folder: string): Running | undefined {
  try {
    return JSON.parse(readFileSync(runFile(folder), "utf8")) as Running; // this program wrote it
  } catch {
    return undefined; // never started, or purged
  }
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
