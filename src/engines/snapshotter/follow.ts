import { AppError } from "../../errors.ts";
import { type Clock, isNotFound, sleep } from "../../kube/index.ts";
import type { Sample } from "../../progress/index.ts";
import { isProgress, judge } from "./said.ts";

/** What following one snapshot, or one volume that is filled, needs. */
export interface FollowOptions {
  readonly clock: Clock;
  /** How far it is; whatever comes back is looked at before it is believed. */
  readonly look: (signal: AbortSignal) => Promise<unknown>;
  readonly limitMs: number;
  /** What it says, as far as it can be believed. */
  readonly onMove: (sample: Sample | undefined, message: string | undefined) => void;
  /** Something odd, told once each. */
  readonly onRemark: (remark: string) => void;
}

/** How it ended. */
export interface FollowEnd {
  /** The last that could be believed. */
  readonly sample?: Sample | undefined;
  readonly message?: string;
  /** Absent when it ended well. */
  readonly failed?: string;
}

/** So many questions in a row without an answer end the wait. */
const maxMisses = 20;
/** So many remarks are told of one; the rest is more of the same. */
const maxRemarks = 5;

/** Asks how far something is until it has ended. However much a plugin says, it is asked at a pace of our own. */
export async function follow(options: FollowOptions, signal: AbortSignal): Promise<FollowEnd> {
  const { clock, look, limitMs, onMove } = options;
  const since = clock.monotonic();
  const remark = remarker(options.onRemark);
  let sample: Sample | undefined;
  let message: string | undefined;
  for (let misses = 0; ; ) {
    const seen = await attempt(look, signal);
    if ("gone" in seen) return { sample, failed: "its object was deleted" };
    if ("error" in seen) {
      misses += 1;
      remark(seen.error);
      if (misses >= maxMisses) return { sample, failed: `nothing answers: ${seen.error}` };
    } else if (!isProgress(seen.value)) {
      misses += 1;
      remark("it answers with something that is no progress");
      if (misses >= maxMisses) return { sample, failed: "it answers with something that is no progress" };
    } else {
      misses = 0;
      const judged = judge(seen.value, sample);
      if (judged.fault !== undefined) remark(judged.fault);
      sample = judged.sample ?? sample;
      message = typeof seen.value.message === "string" ? seen.value.message.slice(0, 1024) : undefined;
      if (seen.value.phase === "Failed") return { sample, failed: message ?? "the plugin does not say why" };
      if (seen.value.phase === "Completed") return { sample, ...(message && { message }) };
      onMove(judged.sample, message);
    }
    const elapsed = clock.monotonic() - since;
    if (elapsed >= limitMs) {
      return { sample, failed: `it did not end within ${Math.round(limitMs / 1000)} s` };
    }
    await sleep(clock, Math.min(pace(elapsed), limitMs - elapsed), signal);
  }
}

/** Twice a second at first, every five seconds for long work. */
function pace(elapsedMs: number): number {
  return Math.min(5_000, Math.max(500, elapsedMs / 20));
}

type Attempt = { readonly value: unknown } | { readonly error: string } | { readonly gone: true };

async function attempt(look: FollowOptions["look"], signal: AbortSignal): Promise<Attempt> {
  try {
    return { value: await look(signal) };
  } catch (error) {
    signal.throwIfAborted();
    if (isNotFound(error)) return { gone: true };
    if (!(error instanceof Error)) return { error: String(error) };
    return { error: error instanceof AppError ? error.message : `it cannot be asked: ${error.message}` };
  }
}

function remarker(tell: (remark: string) => void): (remark: string) => void {
  const told = new Set<string>();
  return (remark) => {
    // Numbers in it change each time; the same fault is told once.
    const kind = remark.replaceAll(/\d+/g, "N");
    if (told.has(kind) || told.size >= maxRemarks) return;
    told.add(kind);
    tell(remark);
  };
}
