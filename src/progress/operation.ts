import type { Eta } from "./eta.ts";
import type { History } from "./history.ts";
import type { Progress, Sample } from "./progress.ts";
import type { Stall, StallCause } from "./stall.ts";

/** Where an operation is in its life; the last five are terminal. */
export type State =
  | "pending"
  | "running"
  | "completed"
  | "partially-failed"
  | "failed"
  | "canceled"
  | "skipped";

/** The object an operation belongs to. */
export interface Ref {
  readonly cluster?: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly uid?: string;
}

/** How a parent is made of its children; see AG in SPEC.md. */
export type Rule = "mean" | "sum" | "items" | "steps";

/** What an operation that only waits is waiting for. */
export interface WaitingFor {
  /** A word for a machine, such as `hook`, `queue`, `pod`, `snapshot`. */
  readonly reason: string;
  readonly object?: Ref;
  readonly message?: string;
}

/** The work became more after it had been counted, so the shown share may stand still. */
export interface ScopeGrowth {
  /** Epoch ms of the latest growth. */
  readonly at: number;
  /** The first total and the present one, in the unit of `progress`. */
  readonly from?: number;
  readonly to?: number;
  /** True while the shown share is held above what the numbers alone would give. */
  readonly held: boolean;
}

/** Anything that takes time, as every viewer sees it. Times are epoch ms. */
export interface Operation {
  /** Names it among its siblings, the same in every observation. */
  readonly id: string;
  readonly ref: Ref;
  /** What it is, for a machine. */
  readonly kind: string;
  /** What it is, for a person. */
  readonly title: string;
  readonly state: State;
  readonly progress?: Progress;
  /** 0..1, never falls, 1 only when completed; absent while unknown. */
  readonly fraction?: number;
  readonly scopeGrew?: ScopeGrowth;
  /** Absent before the start and after the end. */
  readonly eta?: Eta;
  readonly stall?: Stall;
  readonly waitingFor?: WaitingFor;
  readonly startedAt?: number;
  readonly finishedAt?: number;
  readonly message?: string;
  readonly warnings: number;
  readonly errors: number;
  /** Only parents have one. */
  readonly rule?: Rule;
  /** Its share among siblings: expected seconds where earlier runs tell them; 0 keeps it out of the parent's share. */
  readonly weight?: number;
  readonly children: readonly Operation[];
}

/** What the caller knows of the world around an operation; each is the second signal a stall needs. */
export interface Signals {
  /** Epoch ms at which the worker last said anything at all, new or not. */
  readonly heartbeatAt?: number;
  /** Epoch ms at which another counter of the same work (CPU, disk, network) last grew. */
  readonly busyAt?: number;
  /** Bytes that its process has moved so far: what one that sends has written, what one that fetches has read. */
  readonly carriedBytes?: number;
  /** Whether the process or pod that works is there. */
  readonly alive?: boolean;
  /** Causes for which the caller holds evidence now. */
  readonly causes?: readonly StallCause[];
}

/** What an engine or an observer sees of an operation at one moment; everything else is derived by `track`. */
export interface Observation {
  readonly id: string;
  readonly ref: Ref;
  readonly kind: string;
  readonly title: string;
  /** Absent on a pure group: then the children tell it. */
  readonly state?: State;
  /** Ignored on a parent, which is made of its children. */
  readonly progress?: Sample;
  readonly waitingFor?: WaitingFor;
  readonly startedAt?: number;
  readonly finishedAt?: number;
  readonly message?: string;
  readonly warnings?: number;
  readonly errors?: number;
  readonly rule?: Rule;
  readonly weight?: number;
  readonly signals?: Signals;
  /** What earlier runs of the same thing taught; needed once, a later one is not looked at. */
  readonly history?: History;
  /** Absent: as before. A list is the whole truth. Of two with the same id the later counts. */
  readonly children?: readonly Observation[];
}

/** Whether a state is the last one. */
export function isTerminal(state: State): boolean {
  return state !== "pending" && state !== "running";
}

/** The state of a group that has none of its own. */
export function stateOf(children: readonly { readonly state: State }[]): State {
  const seen = new Set(children.map((child) => child.state));
  if (seen.has("running")) return "running";
  if (seen.has("pending")) return seen.size === 1 ? "pending" : "running";
  if (seen.size === 0) return "pending";
  seen.delete("skipped");
  if (seen.size === 0) return "skipped";
  if (seen.has("canceled")) return "canceled";
  if (seen.has("partially-failed")) return "partially-failed";
  if (seen.has("failed")) return seen.size === 1 ? "failed" : "partially-failed";
  return "completed";
}
