import { parentPort, workerData } from "node:worker_threads";
import { Random } from "./random.ts";
import { faultOf, shrink } from "./shrink.ts";
import { type Case, outcomeOf, type Target } from "./target.ts";
import { openTarget, type TargetName } from "./targets.ts";

/** Cases between two turns of the event loop, where a door does not wait by itself. */
const turn = 1024;

/** What a thread is to do. */
export interface Work {
  readonly target: TargetName;
  readonly seed: number;
  /** The number of the first case, and how many there are. */
  readonly from: number;
  readonly runs: number;
  /** No case is begun after this many seconds. */
  readonly seconds: number;
  /** One number: the case that is being run. The other side sees by it that something stands still. */
  readonly at: Float64Array<SharedArrayBuffer>;
}

/** What a thread has found. */
export type Found =
  | {
      readonly fault: string;
      readonly words: string;
      readonly at: number;
      readonly given?: Case;
    }
  | {
      readonly done: number;
      readonly refused: number;
      readonly slowestMs: number;
      readonly slowestAt: number;
    };

async function work(
  { target: name, seed, from, runs, seconds, at: shared }: Work,
  say: (found: Found) => void,
): Promise<void> {
  const target = await openTarget(name);
  Error.stackTraceLimit = 0;
  let at = from;
  const known = new Set<string>();
  const tell = async (first: unknown, where: number) => {
    const error = await traced(target, seed, where, first);
    const fault = faultOf(error);
    if (known.has(fault)) return;
    known.add(fault);
    const given = await shrink(target, target.make(new Random(seed, where)), fault);
    Error.stackTraceLimit = 0;
    say({
      fault,
      words: wordsOf(error),
      at: where,
      given,
    });
  };
  // A promise that nobody awaited ends a program. It comes to light at the end of a turn: which case it was is not known.
  process.on("unhandledRejection", (error) => {
    const fault = `rejection ${faultOf(error)}`;
    if (!known.has(fault)) say({ fault, words: `nobody awaited: ${wordsOf(error)}`, at });
    known.add(fault);
  });
  const until = performance.now() + seconds * 1000;
  let [refused, slowestMs, slowestAt] = [0, 0, from];
  for (; at < from + runs; at += 1) {
    const begun = performance.now();
    if (begun >= until) break;
    shared[0] = at;
    const answer = outcomeOf(target, target.make(new Random(seed, at)));
    const outcome = answer instanceof Promise ? await answer : answer;
    const tookMs = performance.now() - begun;
    if (tookMs > slowestMs) [slowestMs, slowestAt] = [tookMs, at];
    if (outcome === "refused") refused += 1;
    else if (outcome !== "taken") await tell(outcome.crash, at);
    // Rejections that nobody waits for are told between turns only.
    if (at % turn === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  // Rejections come a turn later than what caused them.
  await new Promise((resolve) => setImmediate(resolve));
  say({ done: at - from, refused, slowestMs, slowestAt });
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** The error of a case with its trace: most are refusals, for which traces cost more than the case. */
async function traced(target: Target, seed: number, at: number, first: unknown): Promise<unknown> {
  Error.stackTraceLimit = 30;
  const outcome = await outcomeOf(target, target.make(new Random(seed, at)));
  return typeof outcome === "string" ? first : outcome.crash;
}

if (parentPort) {
  const port = parentPort;
  await work(workerData as Work, (found) => port.postMessage(found)); // the other side starts it with that
  port.close();
  process.exit(0); // what a target has left open must not keep the thread
}
