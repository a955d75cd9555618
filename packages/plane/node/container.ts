import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import type { LogFile } from "./log-file.ts";
import { type Mount, makeRoot, mountScript, quote, realHost } from "./mounts.ts";
import { killBelow, killGroup, type Processes } from "./processes.ts";

/** How far the system lets us separate a pod's view of the file system. */
export type Isolation = "mounts" | "user-mounts" | "none";

/** What the system allows: mounts as root, mounts in a user namespace, or nothing. */
export function isolationHere(): Isolation {
  const works = (...args: string[]): boolean =>
    process.platform === "linux" &&
    spawnSync("unshare", [...args, "sh", "-c", "mount -t tmpfs tmpfs /mnt"]).status === 0;
  return works("-m") ? "mounts" : works("-rm") ? "user-mounts" : "none";
}

/** One container to run. */
export interface Run {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly workingDir: string;
  readonly mounts: readonly Mount[];
  /** A folder of the container's own. */
  readonly folder: string;
  readonly terminationMessagePath: string;
  readonly log: LogFile;
}

/** How a container ended. */
export interface Ended {
  readonly exitCode: number;
  readonly signal?: number;
  readonly message: string;
  readonly startedMs: number;
  readonly finishedMs: number;
}

/** A running container. */
export interface Running {
  readonly pid: number;
  readonly env: Readonly<Record<string, string>>;
  readonly startedMs: number;
  /** Settles when its volumes are where it sees them, or when it has ended. */
  readonly mounted: Promise<void>;
  readonly done: Promise<Ended>;
  kill(signal: NodeJS.Signals): void;
}

const signalNumbers: Readonly<Record<string, number>> = {
  SIGHUP: 1,
  SIGINT: 2,
  SIGABRT: 6,
  SIGKILL: 9,
  SIGSEGV: 11,
  SIGTERM: 15,
};

/** Starts a container as a process group of its own. */
export function start(run: Run, isolation: Isolation, processes: Processes): Running {
  const messageFile = join(run.folder, "termination-log");
  const root = join(run.folder, "root");
  makeRoot(run.folder);
  writeFileSync(messageFile, "");
  const mounts = [
    ...run.mounts,
    { source: messageFile, target: run.terminationMessagePath, readOnly: false },
  ];
  const child = launch(run, root, mounts, isolation);
  const startedMs = Date.now();
  const pid = child.pid ?? 0;
  processes.add(child);
  child.stdout?.on("data", (chunk: Buffer) => run.log.write("stdout", chunk));
  child.stderr?.on("data", (chunk: Buffer) => run.log.write("stderr", chunk));
  const mounted = new Promise<void>((resolve) => {
    const sign = child.stdio[3];
    // A pipe that is only read from; none when the process could not be started.
    if (!(sign instanceof Readable)) return resolve();
    sign.once("close", resolve).once("error", () => resolve());
    sign.resume();
  });
  const done = new Promise<Ended>((resolve) => {
    let failure = "";
    child.on("error", (error) => {
      failure = error.message;
      if (pid === 0) finish(128, null);
    });
    const finish = (code: number | null, signal: NodeJS.Signals | null): void => {
      run.log.end();
      const number = signal === null ? undefined : (signalNumbers[signal] ?? 1);
      resolve({
        exitCode: number === undefined ? (code ?? 128) : 128 + number,
        ...(number !== undefined && { signal: number }),
        message: failure || messageIn(messageFile),
        startedMs,
        finishedMs: Date.now(),
      });
      rmSync(root, { recursive: true, force: true });
    };
    child.on("exit", (code, signal) => {
      // What the main process left behind goes with it, as in a container; output may still be in the pipes.
      killGroup(pid, "SIGKILL");
      killBelow(root);
      child.once("close", () => finish(code, signal));
    });
  });
  return { pid, env: run.env, startedMs, mounted, done, kill: (signal) => void killGroup(pid, signal) };
}

/** What a container left as its last words, at most 4 KiB; nothing when its folder is gone. */
function messageIn(file: string): string {
  return existsSync(file) ? readFileSync(file, "utf8").slice(0, 4096) : "";
}

function launch(run: Run, root: string, mounts: readonly Mount[], isolation: Isolation): ChildProcess {
  const options = {
    env: { ...run.env },
    detached: true,
    stdio: ["ignore", "pipe", "pipe", "pipe"] as ["ignore", "pipe", "pipe", "pipe"],
  };
  // The fourth pipe is closed inside of the container's view: from then on a command sees what the container sees.
  const inside = `exec 3>&-; cd ${quote(run.workingDir)} && exec "$@"`;
  if (isolation === "none") return spawn("/bin/sh", ["-c", inside, "sh", ...run.argv], options);
  const script = mountScript(makeRoot(root), mounts, realHost);
  const namespaces = isolation === "mounts" ? ["-m"] : ["-rm"];
  const args = [
    ...namespaces,
    "--propagation",
    "private",
    "/bin/sh",
    "-c",
    script,
    "sh",
    "/bin/sh",
    "-c",
    inside,
    "sh",
    ...run.argv,
  ];
  return spawn("unshare", args, options);
}

/** The arguments that run a command where a container runs. */
export function enter(pid: number, argv: readonly string[], isolation: Isolation): readonly string[] {
  if (isolation === "none") return argv;
  const user = isolation === "user-mounts" ? ["-U", "--preserve-credentials"] : [];
  return ["nsenter", "-t", String(pid), ...user, "-m", "-r", "-w", "--", ...argv];
}
