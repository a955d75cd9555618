import { accessSync, constants, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/** The version that the tests are written for. */
const version = "v1.14.3";

/** The real plugin for AWS: HEADWAY_AWS_PLUGIN, or the test cache. */
export function awsPlugin(): string | undefined {
  const candidates = [
    process.env["HEADWAY_AWS_PLUGIN"],
    join(homedir(), ".cache/headway-test/bin/velero-plugin-for-aws"),
  ];
  return candidates.find((path) => path !== undefined && isProgram(path));
}

/** Why the plugin cannot be used here; undefined when it can. */
export function missingAwsPlugin(): string | undefined {
  if (awsPlugin() !== undefined) return undefined;
  const module = `github.com/vmware-tanzu/velero-plugin-for-aws/velero-plugin-for-aws@${version}`;
  return `no velero-plugin-for-aws: CGO_ENABLED=0 GOBIN=~/.cache/headway-test/bin go install ${module}`;
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

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false; // not here: the next place is tried
  }
}
