import type { ActionSet, ActionState } from "../../api/index.ts";
import type { Observation, Ref, Sample, StallCause, State } from "../../progress/index.ts";
import { actionStateOf, phaseStateOf } from "./phase.ts";
import { actionNode, phaseNode, setNode } from "./tree.ts";

/** What a function says of its own work, or of one part of it. */
export interface Work {
  readonly progress?: Sample | undefined;
  /** What it is doing, for a person. */
  readonly step?: string | undefined;
  /** What it only waits for, if it does. */
  readonly waitingFor?: string | undefined;
  /** What is broken or missing, where that is why it waits. */
  readonly waitingCause?: StallCause | undefined;
  /** Epoch ms at which its mover last said something new; absent for work that has no rhythm. */
  readonly heardAt?: number | undefined;
  /** Epoch ms at which the process that works last moved bytes. */
  readonly busyAt?: number | undefined;
  readonly uploadedBytes?: number | undefined;
  readonly uploadTotalBytes?: number | undefined;
  readonly downloadedBytes?: number | undefined;
  readonly downloadTotalBytes?: number | undefined;
  readonly etaSeconds?: number | undefined;
}

/** One of several things that a function works on at a time, such as the pods of a workload. */
export interface Part {
  readonly name: string;
  readonly state: State;
  readonly work: Work;
}

/** A phase as its engine knows it. Times are epoch ms. */
export interface PhaseTold {
  readonly name: string;
  readonly state: ActionState;
  readonly startedAt?: number | undefined;
  readonly endedAt?: number | undefined;
  readonly work?: Work | undefined;
  readonly parts?: readonly Part[] | undefined;
}

/** An action as its engine knows it. */
export interface ActionTold {
  readonly name: string;
  readonly object: { readonly kind?: string; readonly name?: string };
  readonly phases: readonly PhaseTold[];
  readonly deferPhase?: PhaseTold | undefined;
}

/** An ActionSet as its engine knows it. */
export interface SetTold {
  readonly state: ActionState;
  readonly actions: readonly ActionTold[];
  readonly error: string;
}

/** An ActionSet that we run: its object, and its phases as their functions tell them. */
export function tellActionSet(set: ActionSet, told: SetTold): Observation {
  const whole = actionStateOf({ state: told.state, error: { message: told.error } });
  const actions = (ref: Ref) =>
    told.actions.map((action, i) => {
      const { phases, deferPhase } = action;
      const deferred = deferPhase && tellPhase(deferPhase, phases.length, whole, ref);
      const seen = phases.map((phase, at) => tellPhase(phase, at, whole, ref));
      return actionNode(i, action, seen, deferred, whole, ref);
    });
  return setNode(set, whole, told.error, actions);
}

function tellPhase(phase: PhaseTold, index: number, whole: State, ref: Ref): Observation {
  const { name, startedAt, endedAt, work = {}, parts = [] } = phase;
  const state = phaseStateOf(phase.state);
  return phaseNode(index, name, state, whole, ref, {
    ...(startedAt !== undefined && { startedAt }),
    ...(endedAt !== undefined && { finishedAt: endedAt }),
    ...(parts.length > 0
      ? { ...words(work, state), rule: ruleOf(parts), children: parts.map((part) => tellPart(part, ref)) }
      : details(work, state)),
  });
}

function tellPart({ name, state, work }: Part, ref: Ref): Observation {
  return { id: name, ref, kind: "part", title: name, state, ...details(work, state) };
}

/** Bytes are added up where every part counts them; otherwise one part is worth as much as another. */
function ruleOf(parts: readonly Part[]): "sum" | "mean" {
  return parts.every(({ work: { progress } }) => progress?.unit === "bytes" && progress.total !== undefined)
    ? "sum"
    : "mean";
}

function details(work: Work, state: State): Partial<Observation> {
  const { progress, waitingCause, heardAt, busyAt } = work;
  return {
    ...words(work, state),
    ...(progress && { progress }),
    // Always said, so that a cause that is gone does not stay.
    ...(state === "running" && {
      signals: {
        causes: waitingCause ? [waitingCause] : [],
        ...(heardAt !== undefined && { heartbeatAt: heardAt }),
        ...(busyAt !== undefined && { busyAt }),
      },
    }),
  };
}

function words({ step, waitingFor }: Work, state: State): Partial<Observation> {
  if (state !== "running") return {};
  return {
    ...(step !== undefined && { message: step }),
    ...(waitingFor !== undefined && { waitingFor: { reason: "pod", message: waitingFor } }),
  };
}
