import { type ActionSet, readActionProgress } from "../../api/index.ts";
import type { Observation, Ref, Sample, State } from "../../progress/index.ts";
import { idOf, messageOf, refOf, timeOf } from "../reading.ts";
import { actionStateOf, phaseStateOf } from "./phase.ts";

type ActionStatus = NonNullable<NonNullable<ActionSet["status"]>["actions"]>[number];
type Phase = NonNullable<ActionStatus["phases"]>[number];

/** An ActionSet: its actions, each the mean of its phases, as upstream counts them. */
export function readActionSet(set: ActionSet, cluster?: string): Observation {
  const { status } = set;
  const ref = refOf(set, cluster);
  const state = actionStateOf(status);
  const started = timeOf(set.metadata.creationTimestamp);
  return {
    id: idOf(set),
    ref,
    kind: "actionset",
    title: `ActionSet ${set.metadata.name}`,
    state,
    rule: "mean",
    ...(started !== undefined && state !== "pending" && { startedAt: started }),
    ...((state === "failed" || state === "canceled") && messageOf(status?.error?.message)),
    children: (status?.actions ?? []).map((action, i) => readAction(action, i, state, ref)),
  };
}

function readAction(action: ActionStatus, index: number, whole: State, ref: Ref): Observation {
  const { phases = [], deferPhase } = action;
  const object = action.object ? `${action.object.kind ?? ""} ${action.object.name ?? ""}`.trim() : "";
  return {
    id: `action-${index}`,
    ref,
    kind: "action",
    title: `${action.name ?? ""}${object ? ` of ${object}` : ""}`,
    rule: "mean",
    children: [
      ...phases.map((phase, i) => readPhase(phase, i, whole, ref)),
      // Upstream's mean leaves the deferred phase out; Go writes an empty one where there is none.
      ...(deferPhase?.name ? [{ ...readPhase(deferPhase, phases.length, whole, ref), weight: 0 }] : []),
    ],
  };
}

function readPhase(phase: Phase, index: number, whole: State, ref: Ref): Observation {
  const state = phaseState(phase, whole);
  const sample = sampleOf(phase);
  const [startedAt, finishedAt] = [timeOf(phase.startTime), timeOf(phase.endTime)];
  return {
    id: `phase-${index}-${phase.name ?? ""}`,
    ref,
    kind: "phase",
    title: phase.name ?? "",
    state,
    ...(sample && { progress: sample }),
    ...(startedAt !== undefined && { startedAt }),
    ...(finishedAt !== undefined && { finishedAt }),
    ...messageOf(phase.step),
  };
}

/** A phase that never came to run because the ActionSet failed was skipped, not left pending for ever. */
function phaseState(phase: Phase, whole: State): State {
  const state = phaseStateOf(phase.state);
  if (state === "pending" && (whole === "failed" || whole === "canceled")) return "skipped";
  if (whole === "canceled" && (state === "running" || state === "failed")) return "canceled";
  return state === "running" && whole === "failed" ? "failed" : state;
}

/**
 * The phase's own percent, of as many bytes as it will move, where it knows them: what a mover uploads after compression says
 * little about how far it is. Without bytes it is in hundredths, so that 30.25 keeps its decimals.
 */
function sampleOf(phase: Phase): Sample | undefined {
  const { fraction, ...said } = readActionProgress(phase.progress);
  const up = bytes(said.uploadedBytes, said.uploadTotalBytes, fraction);
  const down = bytes(said.downloadedBytes, said.downloadTotalBytes, fraction);
  if (up ?? down) return up ?? down;
  if (fraction === undefined) return undefined;
  return { unit: "steps", done: Math.round(fraction * 10_000), total: 10_000 };
}

function bytes(
  done: number | undefined,
  total: number | undefined,
  share: number | undefined,
): Sample | undefined {
  if (!total) return undefined;
  return { unit: "bytes", done: share === undefined ? (done ?? 0) : Math.floor(share * total), total };
}
