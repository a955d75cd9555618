// No test leaves a process behind: what was started during the run and still lives after it fails the run.
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";

/** One process, as far as it lets us see. */
export interface Seen {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
  /** Its environment when it started, as `NAME=value`. */
  readonly environment: readonly string[];
  readonly folder: string;
}

/** A run of the tests: its process, the mark that its processes inherit, and what was there before, by process id. */
export interface Run {
  readonly pid: number;
  readonly mark: string;
  readonly root: string;
  readonly before: ReadonlyMap<number, Seen>;
}

const variable = "HEADWAY_TEST_RUN";
/** What a process that was told to end may take, on a machine that does much else. */
const patienceMs = 20_000;

/** The processes that a run has left: those with its mark, and those without any that are at work in the repository. */
export function leftBehind(seen: readonly Seen[], { pid, mark, root, before }: Run): Seen[] {
  const workers = new Set(seen.filter((one) => one.parent === pid && isWorker(one)).map((one) => one.pid));
  const alive = new Set(seen.map((one) => one.pid));
  // A test of an outage kills a server that was there before the run and starts it again.
  const replaced = new Set(
    [...before.values()].filter((one) => !alive.has(one.pid)).map(({ command }) => command),
  );
  return seen.filter((one) => {
    if (one.pid === pid || before.has(one.pid) || workers.has(one.pid)) return false;
    if (replaced.has(one.command)) return false;
    const marks = one.environment.filter((entry) => entry.startsWith(`${variable}=`));
    if (marks.length > 0) return marks.includes(`${variable}=${mark}`);
    return one.parent === 1 && (one.folder === root || one.command.includes(`${root}/`));
  });
}

// vitest ends its own workers, and the bundler's threads of a process with them.
const isWorker = ({ command }: Seen) => /vitest|esbuild|rolldown/.test(command);

/** What vitest calls before the first test, by this name; what it returns is called after the last. */
export function setup(): () => Promise<void> {
  const before = new Map(processes().map((one) => [one.pid, one]));
  const mark = (process.env[variable] ??= crypto.randomUUID());
  const run = { pid: process.pid, mark, root: process.cwd(), before };
  return async () => {
    const until = performance.now() + patienceMs;
    for (;;) {
      const left = leftBehind(processes(), run);
      if (left.length === 0) return;
      if (performance.now() > until)
        throw new Error(`processes were left behind:\n${left.map(line).join("\n")}`);
      await delay(200);
    }
  };
}

const line = ({ pid, parent, command }: Seen) => `  ${pid} (child of ${parent}): ${command}`;

function processes(): Seen[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const read = (file: string) => readFileSync(`/proc/${name}/${file}`, "utf8");
        const command = read("cmdline").replaceAll("\0", " ").trim();
        const [, state = "", parent = "0"] = /^\d+ \(.*\) (\S) (\d+)/s.exec(read("stat")) ?? [];
        // Threads of the kernel say nothing, the dead do nothing.
        if (command === "" || state === "Z") return [];
        const environment = read("environ").split("\0");
        const folder = readlinkSync(`/proc/${name}/cwd`);
        return [{ pid: Number(name), parent: Number(parent), command, environment, folder }];
      } catch {
        return []; // gone meanwhile, or of somebody else
      }
    });
}
