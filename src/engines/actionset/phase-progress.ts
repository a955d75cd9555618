import type { Part, Work } from "../../kinds/index.ts";
import { fraction, type Sample } from "../../progress/index.ts";

/** It waits for nothing. */
const nothing = { waitingFor: undefined, waitingCause: undefined };

/** The three steps of a function that moves no data, in hundredths of a percent: each is a third. */
const steps = { prerequisites: 3_333, execution: 6_666, all: 10_000 } as const;

/** A percent (0..100) that somebody says of his own work, cut off; it is whole only when the work has ended well. */
export function ofPercent(percent: number): Sample {
  // 8.2 * 100 is 819.9999: the guard is far below a hundredth.
  const cut = Math.floor(Math.max(0, percent) * 100 + 1e-6);
  return { unit: "steps", done: Math.min(cut, steps.all - 1), total: steps.all };
}

/**
 * What one execution of one phase says of itself. Every execution has its own: two phases of the same function never meet
 * here. What it says is not judged: folding makes it true.
 */
export class PhaseProgress {
  readonly #changed: () => void;
  #work: Work;
  /** Bounded by the pods and containers that the function works on. */
  readonly #parts = new Map<string, Part>();

  constructor(changed: () => void, before: Work = {}) {
    this.#changed = changed;
    this.#work = before;
  }

  get work(): Work {
    return this.#work;
  }

  get parts(): readonly Part[] {
    return [...this.#parts.values()];
  }

  /** Takes news; what is left out stays, what is undefined is unknown from now on. */
  update(news: Work): void {
    if (isOld(this.#work, news)) return;
    this.#work = { ...this.#work, ...news };
    this.#changed();
  }

  /** News of one of several things that it works on at a time: from now on the phase is made of its parts. */
  part(name: string, state: Part["state"], news: Work = {}): void {
    const before = this.#parts.get(name);
    if (before?.state === state && isOld(before.work, news)) return;
    this.#parts.set(name, { name, state, work: { ...before?.work, ...news } });
    this.#changed();
  }

  /** The step before the function's own work is done. */
  prepared(step = "running"): void {
    this.update({ progress: hundredths(steps.prerequisites), step, ...nothing });
  }

  /** A share (0..1) of the function's own work, between the first third and the second. */
  executing(share: number, more: Work = {}): void {
    const { prerequisites, execution } = steps;
    const within = Math.max(0, Math.min(1, share));
    this.update({ ...more, progress: hundredths(prerequisites + within * (execution - prerequisites)) });
  }

  /** What a command says of its own work: its share lies between the two thirds around it. */
  said({ progress, ...more }: Work): void {
    const share = progress && fraction(progress);
    if (share === undefined) this.update(more);
    else this.executing(share, more);
  }

  /** The function's own work is done, and what it made is being tidied up. */
  executed(step = "cleaning up"): void {
    this.update({ progress: hundredths(steps.execution), step, etaSeconds: undefined, ...nothing });
  }
}

function hundredths(done: number): Sample {
  return { unit: "steps", done: Math.floor(done), total: steps.all };
}

/** Whether news say what is known already. */
function isOld(known: Work, news: Work): boolean {
  return Object.entries(news).every(([key, value]) => {
    const old = known[key as keyof Work]; // the keys of a Work
    return old === value || (key === "progress" && isSameSample(old as Sample | undefined, news.progress)); // its own field
  });
}

function isSameSample(a: Sample | undefined, b: Sample | undefined): boolean {
  return a?.unit === b?.unit && a?.done === b?.done && a?.total === b?.total;
}
