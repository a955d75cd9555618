/** What a rendering may use before it is stopped. */
export interface Limits {
  /** Evaluated nodes, loop turns, and characters or items that functions produce or look at. */
  readonly maxSteps: number;
  /** Characters of output, and of any one text made on the way. */
  readonly maxOutput: number;
  /** Templates within templates, and nesting in the text. */
  readonly maxDepth: number;
  /** Milliseconds of `nowMs`; without a clock it does not count. */
  readonly maxMs: number;
}

/** Limits that no honest template meets. */
export const defaultLimits: Limits = {
  maxSteps: 20_000_000,
  maxOutput: 16_000_000,
  maxDepth: 500,
  maxMs: 10_000,
};

/** A rendering wanted more than it may have. */
export class LimitError extends Error {}

const stepsBetweenLooks = 4096;

/** Counts what a rendering uses. */
export class Budget {
  readonly limits: Limits;
  readonly #nowMs: (() => number) | undefined;
  readonly #untilMs: number;
  #steps = 0;
  #nextLook = stepsBetweenLooks;

  constructor(limits: Limits, nowMs?: () => number) {
    this.limits = limits;
    this.#nowMs = nowMs;
    this.#untilMs = nowMs === undefined ? 0 : nowMs() + limits.maxMs;
  }

  /** Counts work done or about to be done. */
  spend(steps: number): void {
    this.#steps += steps;
    if (this.#steps > this.limits.maxSteps) throw new LimitError(`more than ${this.limits.maxSteps} steps`);
    if (this.#nowMs === undefined || this.#steps < this.#nextLook) return;
    this.#nextLook = this.#steps + stepsBetweenLooks;
    if (this.#nowMs() > this.#untilMs) throw new LimitError(`more than ${this.limits.maxMs} ms`);
  }

  /** Counts a text of a length that is about to be made. */
  text(length: number): void {
    if (length > this.limits.maxOutput)
      throw new LimitError(`text longer than ${this.limits.maxOutput} characters`);
    this.spend(length >>> 4);
  }

  /** Counts a text that grows: only what is added is work. */
  grow(length: number, added: number): void {
    if (length > this.limits.maxOutput)
      throw new LimitError(`text longer than ${this.limits.maxOutput} characters`);
    this.spend(added >>> 4);
  }
}
