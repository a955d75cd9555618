import type { StallCause } from "../../progress/index.ts";
import { almostWhole, hundredths } from "./percent.ts";

/** What a function says of its own work: the design's FuncProgress. */
export interface FuncProgress {
  /** 0..100. */
  readonly percent?: number | undefined;
  readonly uploadedBytes?: number | undefined;
  readonly uploadTotalBytes?: number | undefined;
  readonly downloadedBytes?: number | undefined;
  readonly downloadTotalBytes?: number | undefined;
  readonly etaSeconds?: number | undefined;
  /** What it is doing, for a person. */
  readonly step?: string | undefined;
  /** What it only waits for, if it does. */
  readonly waitingFor?: string | undefined;
  /** What is broken or missing, where that is why it waits. */
  readonly waitingCause?: StallCause | undefined;
  /** Its parts, such as the pods of a function over many. */
  readonly parts?: readonly Part[] | undefined;
}

/** One of several things that a function works on at a time. */
export interface Part {
  readonly name: string;
  readonly state: "pending" | "running" | "completed" | "failed";
  readonly doneBytes?: number | undefined;
  readonly totalBytes?: number | undefined;
}

/** Anything that can tell how far it is: the design's Progress interface. */
export interface Progress {
  stats(): FuncProgress;
}

/** It waits for nothing. */
const nothing = { waitingFor: undefined, waitingCause: undefined };

/** The three steps of a function that moves no data: each is a third. */
const steps = { prerequisites: 33.33, execution: 66.66 } as const;

/**
 * How far one execution of one phase is. Every execution has its own: two phases of the same function never meet here.
 *
 * The percent never falls and stays below 100: only the end of the phase makes it whole.
 */
export class PhaseProgress implements Progress {
  readonly #changed: () => void;
  #said: FuncProgress;

  constructor(changed: () => void, before: FuncProgress = {}) {
    this.#changed = changed;
    this.#said = before;
  }

  stats(): FuncProgress {
    return this.#said;
  }

  /** Folds news in; what is left out stays, what is undefined is unknown from now on. */
  update(news: FuncProgress): void {
    const before = this.#said;
    const next = { ...before, ...news, percent: rising(before.percent, news.percent) };
    this.#said = next;
    if (JSON.stringify(next) !== JSON.stringify(before)) this.#changed();
  }

  /** The step before the function's own work is done. */
  prepared(step = "running"): void {
    this.update({ percent: steps.prerequisites, step, ...nothing });
  }

  /** A share (0..1) of the function's own work, between the first third and the second. */
  executing(share: number, more: FuncProgress = {}): void {
    const { prerequisites, execution } = steps;
    const within = Math.max(0, Math.min(1, share));
    this.update({ ...more, percent: prerequisites + within * (execution - prerequisites) });
  }

  /** The function's own work is done, and what it made is being tidied up. */
  executed(step = "cleaning up"): void {
    this.update({ percent: steps.execution, step, etaSeconds: undefined, ...nothing });
  }
}

function rising(before: number | undefined, next: number | undefined): number | undefined {
  const cut = next === undefined ? undefined : hundredths(next);
  if (cut === undefined) return before;
  return Math.max(before ?? 0, Math.min(cut, almostWhole) / 100);
}
