import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { findPart } from "./parts.ts";

/** The real plugin for AWS: HEADWAY_AWS_PLUGIN, or the one of test/parts. */
export function awsPlugin(): string | undefined {
  const found = findPart("velero-plugin-for-aws", "HEADWAY_AWS_PLUGIN");
  return "program" in found ? found.program : undefined;
}

/** Why the plugin cannot be used here; undefined when it can. */
export function missingAwsPlugin(): string | undefined {
  const found = findPart("velero-plugin-for-aws", "HEADWAY_AWS_PLUGIN");
  return "missing" in found ? found.missing : undefined;
}

/** The running plugins that a process has started, each through the shell that keeps it. */
export function pluginProcesses(owner: number): number[] {
  const parentOf = (pid: string | number) =>
    Number(/^PPid:\s*(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const isPlugin = readlinkSync(`/proc/${pid}/exe`).includes("velero-plugin-for-aws");
        return isPlugin && parentOf(parentOf(pid)) === owner;
      } catch {
        return false; // it ended meanwhile, or is none of ours
      }
    })
    .map(Number);
}
