// Budget: `headway version` costs at most bare Node plus 150 ms (median of 15 runs, in turns, in one run).
import { spawnSync } from "node:child_process";
import { join } from "node:path";

const budgetMs = 150;
const headway = join(import.meta.dirname, "../bin/headway.js");

function timeMs(...args: string[]): number {
  const start = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`${args.join(" ")} exited ${status}: ${stderr}`);
  return performance.now() - start;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

const bare: number[] = [];
const ours: number[] = [];
for (let i = 0; i < 15; i++) {
  bare.push(timeMs("-e", "0"));
  ours.push(timeMs(headway, "version"));
}
const extraMs = median(ours) - median(bare);
console.log(
  `bare node ${median(bare).toFixed(0)} ms, headway version ${median(ours).toFixed(0)} ms, extra ${extraMs.toFixed(0)} ms (budget ${budgetMs})`,
);
if (extraMs > budgetMs) process.exitCode = 1;
