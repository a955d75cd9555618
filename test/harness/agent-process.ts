import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { testMoverFolders } from "./movers.ts";
import { failOnUnhandled } from "./unhandled.ts";

/** What an agent of its own process is started with. */
export interface AgentProcessOptions {
  readonly kubeconfig: string;
  readonly namespace: string;
  readonly node: string;
  readonly hostPods: string;
  readonly stateDir: string;
  /** Further flags, or others than the usual ones. */
  readonly flags?: Readonly<Record<string, string>>;
}

/** `headway agent` as a process, to be killed. */
export function spawnAgent(options: AgentProcessOptions): ChildProcess {
  const launcher = join(import.meta.dirname, "../../bin/headway.js");
  const flags = {
    kubeconfig: options.kubeconfig,
    namespace: options.namespace,
    node: options.node,
    "host-pods": options.hostPods,
    "state-dir": options.stateDir,
    concurrency: "3",
    "pod-image": process.env["HEADWAY_TEST_IMAGE"] ?? "none",
    ...options.flags,
  };
  const args = Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value]);
  const child = spawn(process.execPath, [launcher, "agent", ...args], {
    env: { ...process.env, PATH: [process.env["PATH"], ...testMoverFolders()].join(":") },
    stdio: ["ignore", "ignore", "pipe"],
  });
  failOnUnhandled(child.stderr);
  if (process.env["HEADWAY_TEST_LOG"])
    child.stderr.on("data", (chunk: Buffer) => process.stderr.write(chunk));
  return child;
}

/** Ends it the hard way, and waits until it is gone. */
export async function killHard(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGKILL");
  await gone;
}

/** Process ids of the movers that an agent of this state folder runs. */
export function moversOf(owner: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, "latin1").split("\0").includes(`HEADWAY_OWNER=${owner}`);
      } catch {
        return false; // gone meanwhile
      }
    })
    .map(Number);
}

/** Sends a signal to each; one that ended meanwhile is no matter. */
export function signalAll(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch {
      // it ended by itself
    }
  }
}
