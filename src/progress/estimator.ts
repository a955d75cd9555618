import type { Expected } from "./history.ts";
import type { Run } from "./run.ts";

/** What a rule may look at. */
export interface Evidence {
  readonly run: Run;
  /** The units to do: counted, or expected from earlier runs. */
  readonly total: number;
  readonly expected?: Expected;
}

/**
 * One rule of estimation. The time from one `done` to another is foretold as the pace of that moment times the work
 * between the two; so every rule can be held to its word later, whatever it is made of.
 */
export interface Estimator {
  readonly name: string;
  /** The work that lies behind `done`, on this rule's own scale. */
  readonly work: (done: number, evidence: Evidence) => number;
  /** Milliseconds per unit of that work, or undefined when the rule has nothing to say. */
  readonly pace: (evidence: Evidence) => number | undefined;
}

/** The work of a rule for which every unit is like the other. */
export function evenWork(done: number): number {
  return done;
}
