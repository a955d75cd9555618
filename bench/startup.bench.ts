// Budget: `headway version` costs at most bare Node plus 150 ms (median of 15 runs, in turns, in one run). The single executable is told beside it.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeExecutable } from "../scripts/release/executable.ts";

const budgetMs = 150;
const headway = join(import.meta.dirname, "../bin/headway.js");

function timeMs(program: string, ...args: string[]): number {
  const start = performance.now();
  const { status, stderr } = spawnSync(program, args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`${args.join(" ")} exited ${status}: ${stderr}`);
  return performance.now() - start;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

const bare: number[] = [];
const ours: number[] = [];
const single: number[] = [];
const folder = mkdtempSync(join(tmpdir(), "startup-"));
try {
  const executable = join(folder, "headway");
  await makeExecutable(executable, folder);
  for (let i = 0; i < 15; i++) {
    bare.push(timeMs(process.execPath, "-e", "0"));
    ours.push(timeMs(process.execPath, headway, "version"));
    single.push(timeMs(executable, "version"));
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
const extraMs = median(ours) - median(bare);
console.log(
  `bare node ${median(bare).toFixed(0)} ms, headway version ${median(ours).toFixed(0)} ms, extra ${extraMs.toFixed(0)} ms (budget ${budgetMs}), single executable ${median(single).toFixed(0)} ms`,
);
if (extraMs > budgetMs) process.exitCode = 1;
