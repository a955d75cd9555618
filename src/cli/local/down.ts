import { existsSync, readdirSync, rmdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Io } from "../io.ts";
import { findRunning, programsLeft, runFile, startedAt, stateFolder } from "./run-file.ts";

/** Pods get two seconds to end; whoever hangs longer is killed, and the next lines end what it leaves. */
const limitMs = 15_000;
/** What `up` makes in the folder; nothing else is ever purged. */
const ours = ["blue", "green", "headway-local", "kubeconfig", "plane.log", "run.json"];

/** Ends the cluster and every process it started; with `purge` its state goes, too. */
export async function down(
  options: { readonly folder?: string; readonly purge: boolean },
  io: Io,
): Promise<number> {
  const folder = stateFolder(options.folder, io);
  const running = findRunning(folder);
  // Of a cluster that runs they end with it; one that was killed left them.
  const left = running ? [] : programsLeft(folder);
  if (running) {
    process.kill(running.pid, "SIGTERM");
    const begun = performance.now();
    while (startedAt(running.pid) === running.started) {
      if (performance.now() - begun > limitMs) process.kill(running.pid, "SIGKILL");
      await delay(10);
    }
  }
  for (const { pid } of left) process.kill(pid, "SIGTERM");
  const { endLeftovers } = await import("../../../packages/plane/index.ts");
  for (const name of ["blue", "green", "headway-local"]) endLeftovers(join(folder, name));
  rmSync(runFile(folder), { force: true });
  const state = existsSync(folder) ? `, state ${options.purge ? "removed from" : "kept in"} ${folder}` : "";
  if (options.purge) purge(folder);
  io.err(`${running ? "stopped" : "was not running"}${state}\n`);
  return 0;
}

function purge(folder: string): void {
  for (const name of ours) rmSync(join(folder, name), { recursive: true, force: true });
  if (existsSync(folder) && readdirSync(folder).length === 0) rmdirSync(folder);
}
