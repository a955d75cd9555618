import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";

/** Where upstream's own program is run. */
export interface UpstreamPlace {
  readonly program: string;
  readonly kubeconfig: string;
  readonly namespace: string;
  /** A folder for what it keeps. */
  readonly folder: string;
}

/** Runs upstream's program until it ends, as its pods do; what it said. */
export async function runUpstream(place: UpstreamPlace, args: readonly string[]): Promise<string> {
  const { program, kubeconfig, namespace, folder } = place;
  const home = join(folder, "velero-home");
  mkdirSync(home, { recursive: true });
  const child: ChildProcess = spawn(program, [...args, "--kubeconfig", kubeconfig, "-n", namespace], {
    env: { PATH: process.env["PATH"], HOME: home, NODE_NAME: "theirs", VELERO_NAMESPACE: namespace },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on("data", (chunk: Buffer) => {
      said = (said + chunk.toString()).slice(-20_000);
    });
  }
  const code = await new Promise<number | null>((resolve) => child.once("exit", (end) => resolve(end)));
  rmSync("/dev/termination-log", { force: true }); // where a container would leave its last word
  if (code !== 0) throw new Error(`velero ended with ${code}: ${said}`);
  return said;
}
