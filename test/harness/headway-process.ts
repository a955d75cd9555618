import { spawn } from "node:child_process";
import { join } from "node:path";
import { failOnUnhandled } from "./unhandled.ts";

/** The program as a person starts it. */
export const launcher = join(import.meta.dirname, "../../bin/headway.js");

/** A run of the program whose output goes to a pipe. */
export interface PipedRun {
  readonly pid: number;
  /** Whole lines of standard output so far. */
  lines(): string[];
  /** What it said on standard error so far. */
  said(): string;
  readonly ended: Promise<number | null>;
  signal(name: NodeJS.Signals): void;
}

/** Starts the program with its output in a pipe. An error in it that nobody handled fails the test. */
export function startHeadway(...args: string[]): PipedRun {
  return startWith({}, args);
}

/** The same with more environment; a test that plants an error itself takes it as the program does. */
export function startWith(
  {
    env = {},
    unhandled = "fails",
  }: { readonly env?: Record<string, string>; readonly unhandled?: "fails" | "planted" },
  args: readonly string[],
): PipedRun {
  const child = spawn(process.execPath, [launcher, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...env },
  });
  if (unhandled === "fails") failOnUnhandled(child.stderr);
  let [out, err] = ["", ""];
  child.stdout.on("data", (chunk: Buffer) => void (out += chunk.toString("utf8")));
  child.stderr.on("data", (chunk: Buffer) => void (err += chunk.toString("utf8")));
  const ended = new Promise<number | null>((resolve) => child.once("close", (code) => resolve(code)));
  return {
    pid: child.pid ?? 0,
    lines: () => out.split("\n").slice(0, -1),
    said: () => err,
    ended,
    signal: (name) => void child.kill(name),
  };
}
