import type { ActionSet, ActionState } from "../../api/index.ts";
import type { Observation, Ref, Sample, State } from "../../progress/index.ts";
import type { FuncProgress } from "./phase-progress.ts";
import type { ActionRun, PhaseState, SetState } from "./status.ts";

const states: Readonly<Record<ActionState, State>> = {
  pending: "pending",
  running: "running",
  failed: "failed",
  complete: "completed",
};

/** An ActionSet as an operation, with the parts of its phases that the status has no place for. */
export function observation(set: ActionSet, state: SetState): Observation {
  const { name, namespace, uid, creationTimestamp } = set.metadata;
  const ref: Ref = {
    apiVersion: set.apiVersion,
    kind: set.kind,
    name,
    ...(namespace && { namespace }),
    ...(uid && { uid }),
  };
  return {
    id: `actionset/${namespace ?? ""}/${name}`,
    ref,
    kind: "actionset",
    title: `ActionSet ${name}`,
    state: state.error.startsWith("canceled") ? canceledOr(states[state.state]) : states[state.state],
    rule: "mean",
    ...(creationTimestamp && { startedAt: Date.parse(creationTimestamp) }),
    ...(state.error !== "" && { message: state.error }),
    children: state.actions.map((action, i) => ofAction(action, i, ref)),
  };
}

/** What was canceled ends as failed in upstream's words, which have no other. */
function canceledOr(state: State): State {
  return state === "failed" ? "canceled" : state;
}

function ofAction(action: ActionRun, index: number, ref: Ref): Observation {
  const { name, object, phases, deferPhase } = action;
  const what = `${object.kind ?? ""} ${object.name ?? ""}`.trim();
  return {
    id: `action-${index}`,
    ref,
    kind: "action",
    title: `${name}${what ? ` of ${what}` : ""}`,
    rule: "mean",
    children: [
      ...phases.map((phase, i) => ofPhase(phase, i, ref)),
      // As in the status, the deferred phase has no share of its own: the whole waits for it all the same.
      ...(deferPhase ? [{ ...ofPhase(deferPhase, phases.length, ref), weight: 0 }] : []),
    ],
  };
}

function ofPhase(phase: PhaseState, index: number, ref: Ref): Observation {
  const { name, state, progress = {}, startedAt, endedAt } = phase;
  const sample = sampleOf(progress);
  const isRunning = state === "running";
  return {
    id: `phase-${index}-${name}`,
    ref,
    kind: "phase",
    title: name,
    state: states[state],
    ...(sample && { progress: sample }),
    ...(startedAt !== undefined && { startedAt }),
    ...(endedAt !== undefined && { finishedAt: endedAt }),
    ...(isRunning && progress.step !== undefined && { message: progress.step }),
    ...(isRunning && progress.waitingFor && { waitingFor: { reason: "pod", message: progress.waitingFor } }),
    ...(isRunning && { signals: { causes: progress.waitingCause ? [progress.waitingCause] : [] } }),
  };
}

/** The function's own percent; of as many bytes as there are, where it counts them. */
function sampleOf({ percent, uploadTotalBytes, downloadTotalBytes }: FuncProgress): Sample | undefined {
  if (percent === undefined) return undefined;
  const bytes = uploadTotalBytes ?? downloadTotalBytes;
  if (bytes) return { unit: "bytes", done: Math.floor((percent / 100) * bytes), total: bytes };
  return { unit: "steps", done: Math.floor(percent * 100), total: 10_000 };
}
