import type { ActionSet } from "../../api/index.ts";
import { isTerminal, type Observation, type Ref, type State } from "../../progress/index.ts";
import { idOf, messageOf, refOf, timeOf } from "../reading.ts";

/** What an action is called. */
interface ActionHead {
  readonly name?: string | undefined;
  readonly object?: { readonly kind?: string; readonly name?: string } | null | undefined;
}

/** The place of an action in its ActionSet. */
export function actionId(index: number): string {
  return `action-${index}`;
}

/** The place of a phase in its action; the deferred one comes after the others. */
export function phaseId(index: number, name: string): string {
  return `phase-${index}-${name}`;
}

/** An ActionSet, whoever runs it. Its share is the mean of all phases of all actions, as upstream counts it. */
export function setNode(
  set: ActionSet,
  state: State,
  error: string | null | undefined,
  actions: (ref: Ref) => readonly ActionNode[],
  cluster?: string,
): Observation {
  const ref = refOf(set, cluster);
  const nodes = actions(ref);
  const counts = new Set(nodes.map(({ phases }) => phases).filter((count) => count > 0));
  // The mean of means is the mean of all only where each action has as many phases as the others.
  const isEven = counts.size <= 1;
  const startedAt = timeOf(set.metadata.creationTimestamp);
  return {
    id: idOf(set),
    ref,
    kind: "actionset",
    title: `ActionSet ${set.metadata.name}`,
    state,
    rule: isEven ? "mean" : "steps",
    ...(startedAt !== undefined && state !== "pending" && { startedAt }),
    ...messageOf(error),
    children: nodes.map(({ node, phases }) => ({
      ...node,
      ...((phases === 0 || !isEven) && { weight: phases }),
    })),
  };
}

/** An action, and of how many phases its share is made. */
export interface ActionNode {
  readonly node: Observation;
  readonly phases: number;
}

/** An action of an ActionSet that is in the state `whole`. */
export function actionNode(
  index: number,
  { name = "", object }: ActionHead,
  phases: readonly Observation[],
  deferred: Observation | undefined,
  whole: State,
  ref: Ref,
): ActionNode {
  const what = object ? `${object.kind ?? ""} ${object.name ?? ""}`.trim() : "";
  const state = endOf(phases, deferred, whole);
  const node: Observation = {
    id: actionId(index),
    ref,
    kind: "action",
    title: `${name}${what ? ` of ${what}` : ""}`,
    rule: "mean",
    ...(state && { state }),
    // Upstream's mean leaves the deferred phase out; the whole waits for it all the same.
    children: deferred ? [...phases, { ...deferred, weight: 0 }] : phases,
  };
  return { node, phases: phases.length };
}

/** A phase of an ActionSet that is in the state `whole`. */
export function phaseNode(
  index: number,
  name: string,
  state: State,
  whole: State,
  ref: Ref,
  more: Partial<Observation>,
): Observation {
  return {
    id: phaseId(index, name),
    ref,
    kind: "phase",
    title: name,
    state: phaseState(state, whole),
    ...more,
  };
}

/** A phase that never came to run because the ActionSet failed was skipped, not left pending for ever. */
function phaseState(state: State, whole: State): State {
  if (state === "pending" && (whole === "failed" || whole === "canceled")) return "skipped";
  if (whole === "canceled" && (state === "running" || state === "failed")) return "canceled";
  return state === "running" && whole === "failed" ? "failed" : state;
}

/**
 * How an action ended that cannot come to a good end any more: the phases after one that failed never run, and were not
 * done. Undefined while something of it may run, and where its phases tell it.
 */
function endOf(
  phases: readonly Observation[],
  deferred: Observation | undefined,
  whole: State,
): State | undefined {
  const states = [...phases, ...(deferred ? [deferred] : [])].map(({ state = "pending" }) => state);
  if (states.every((state) => state === "skipped")) return undefined;
  if (!states.some((state) => state === "failed" || state === "canceled" || state === "skipped"))
    return undefined;
  const mayRun = states.includes("running") || (deferred && !isTerminal(deferred.state ?? "pending"));
  if (mayRun) return undefined;
  return whole === "canceled" ? "canceled" : "failed";
}
