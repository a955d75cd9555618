import { existsSync } from "node:fs";
import { join } from "node:path";
import { killBelow, Processes } from "./processes.ts";
import { detachBelow } from "./volumes.ts";

/** Ends the processes and mounts that a killed cluster left behind, and tells how many processes there were. */
export function endLeftovers(stateDir: string): number {
  if (!existsSync(stateDir)) return 0;
  const ended = new Processes(join(stateDir, "processes")).endLeftovers();
  killBelow(join(stateDir, "pods"));
  detachBelow(join(stateDir, "pods"));
  return ended;
}
