import type { Tracked } from "./derive.ts";
import { expect, type History, type PastRun } from "./history.ts";
import { finalLosses } from "./judge.ts";
import type { Run } from "./run.ts";

const curveSteps = 32;
const maxRuns = 8;
const maxMisses = 12;
/** Near the end a second is a large share of what is left; a miss beyond a factor of four says no more than four. */
const worstMiss = Math.log(4);

/** What is known of this kind of work once this operation is over; only what ended well teaches anything. */
export function learn(history: History | undefined, tracked: Tracked): History | undefined {
  const { run } = tracked.memory;
  return tracked.operation.state === "completed" && run ? learnRun(history, run) : history;
}

/** Adds a run that ended well to what is known of its kind. */
export function learnRun(history: History | undefined, run: Run): History {
  const expected = expect(history);
  const workMs = Math.round(run.tailFrom ?? run.movedMs);
  const past: PastRun = {
    workMs,
    tailMs: Math.round(Math.max(0, run.ms - workMs)),
    units: run.done,
    curve: curveOf(run, workMs),
    // What was told without a history says nothing about how right one is with it.
    misses: expected ? missesOf(run) : [],
    losses: finalLosses(run, expected),
  };
  return { version: 1, runs: [...(history?.runs ?? []).slice(1 - maxRuns), past] };
}

/** When each thirty-second of the units was done. */
function curveOf(run: Run, workMs: number): readonly number[] {
  const curve: number[] = [];
  let i = 0;
  for (let k = 0; k <= curveSteps; k++) {
    const level = (run.done * k) / curveSteps;
    while (i < run.marks.length - 1 && (run.marks[i]?.[1] ?? 0) < level) i += 1;
    const [before, after] = [run.marks[i - 1] ?? [0, 0], run.marks[i] ?? [workMs, run.done]];
    const part = after[1] > before[1] ? (level - before[1]) / (after[1] - before[1]) : 1;
    const ms = before[0] + (after[0] - before[0]) * Math.min(1, Math.max(0, part));
    curve.push(workMs > 0 ? Math.min(1000, Math.round((1000 * ms) / workMs)) : 0);
  }
  return curve;
}

function missesOf(run: Run): readonly number[] {
  const told = run.checkpoints.filter((checkpoint) => checkpoint.told > 0 && run.ms > checkpoint.ms);
  const every = Math.max(1, Math.ceil(told.length / maxMisses));
  return told
    .filter((_, i) => i % every === 0)
    .map((checkpoint) => Math.log((run.ms - checkpoint.ms) / checkpoint.told))
    .map((miss) => Math.round(100 * Math.min(worstMiss, Math.max(-worstMiss, miss))));
}
