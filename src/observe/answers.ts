import type { Unit } from "../progress/index.ts";

// What the server answers to the page besides operations: one definition for the room that says it and the one that reads it.

/** What a server can do. */
export interface About {
  /** Whether things may be started and canceled. */
  readonly writes: boolean;
  /** Whether it gives objects, events and files. */
  readonly objects: boolean;
  /** Whether it shows more than one cluster. */
  readonly several: boolean;
}

/** A cluster, and why it does not answer. */
export interface ClusterState {
  readonly name: string;
  readonly error?: string;
}

/** How an operation went so far, for a chart. Times are milliseconds of work since its start; waiting does not count. */
export interface Curve {
  /** The work that can be measured best: bytes before items. */
  readonly work?: {
    readonly title: string;
    readonly unit: Unit;
    readonly total?: number;
    readonly marks: readonly (readonly [ms: number, done: number])[];
  };
  /** When the end was expected, each time it was told: `[moment, expected end]`. */
  readonly told: readonly (readonly [ms: number, endMs: number])[];
  /** How long it has worked; after the end, how long it took. */
  readonly ms: number;
}

/** Something that happened to an object. */
export interface EventLine {
  /** Epoch ms. */
  readonly at: number;
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly count: number;
  readonly object: string;
}

/** Something to choose in a form. */
export interface Choice {
  readonly namespace?: string;
  readonly name: string;
  /** What tells one from another: a phase, the actions of a blueprint, the namespaces of a plan. */
  readonly notes: readonly string[];
}

/** A warning or an error in words, and where it happened. */
export interface Remark {
  /** `server`, `cluster`, or a namespace. */
  readonly where: string;
  /** What it is about, such as `pods web-0`. */
  readonly object?: string;
  readonly text: string;
}

/** What went wrong in a backup or a restore, as far as the page shows it. */
export interface Remarks {
  readonly errors: readonly Remark[];
  readonly warnings: readonly Remark[];
  /** How many more there are. */
  readonly more: number;
}
