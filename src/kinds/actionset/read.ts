import { type ActionSet, readActionProgress } from "../../api/index.ts";
import type { Observation, Ref, Sample, State } from "../../progress/index.ts";
import { messageOf, timesOf } from "../reading.ts";
import { actionStateOf, phaseStateOf } from "./phase.ts";
import { actionNode, phaseNode, setNode } from "./tree.ts";

type ActionStatus = NonNullable<NonNullable<ActionSet["status"]>["actions"]>[number];
type Phase = NonNullable<ActionStatus["phases"]>[number];

/** An ActionSet as its own status tells it, whoever wrote it. */
export function readActionSet(set: ActionSet, cluster?: string): Observation {
  const { status } = set;
  const whole = actionStateOf(status);
  const actions = (ref: Ref) =>
    (status?.actions ?? []).map((action, i) => {
      const { phases = [], deferPhase } = action;
      // Go writes an empty one where there is none.
      const deferred = deferPhase?.name ? readPhase(deferPhase, phases.length, whole, ref) : undefined;
      const seen = phases.map((phase, at) => readPhase(phase, at, whole, ref));
      return actionNode(i, action, seen, deferred, whole, ref);
    });
  return setNode(set, whole, status?.error?.message, actions, cluster);
}

function readPhase(phase: Phase, index: number, whole: State, ref: Ref): Observation {
  const sample = sampleOf(phase);
  return phaseNode(index, phase.name ?? "", phaseStateOf(phase.state), whole, ref, {
    ...(sample && { progress: sample }),
    ...timesOf(phase.startTime, phase.endTime),
    ...messageOf(phase.step),
  });
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
  if (share === undefined) return { unit: "bytes", done: done ?? 0, total };
  // A few bytes cannot hold hundredths; and of what was written nothing may be lost.
  return total < 10_000 ? undefined : { unit: "bytes", done: Math.ceil(share * total), total };
}
