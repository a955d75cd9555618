import { type PodVolumeBackup, type PodVolumeRestore, veleroNames, veleroPhaseOf } from "../api/index.ts";
import { isHeldBack, type PodObject } from "../engines/podvolume/index.ts";
import { isVolumeEnded } from "../kinds/index.ts";

/** What the agent does about one object. */
export type Step =
  /** Nothing, or nothing yet. */
  | { readonly do: "wait" }
  /** Take it, or take it up again. */
  | { readonly do: "run" }
  /** End the work that runs. */
  | { readonly do: "stop" }
  /** Nothing runs: write the end. */
  | { readonly do: "end"; readonly state: "canceled" | "failed"; readonly message: string }
  /** The data was complete before an earlier life ended: only the last write is missing. */
  | { readonly do: "complete" }
  /** It has ended: let it be deleted. */
  | { readonly do: "release" };

/** What is known beside the object. */
export interface Around {
  readonly node: string;
  /** Whether this process works on it now. */
  readonly running: boolean;
}

/** What to do about a volume's backup. */
export function planBackup(pvb: PodVolumeBackup, { node, running }: Around): Step {
  if (pvb.spec?.node !== node) return { do: "wait" };
  return common(pvb, running) ?? { do: "run" };
}

/** What to do about a volume's restore; `pod` is the target if it is on this node. */
export function planRestore(
  pvr: PodVolumeRestore,
  { node, running, pod }: Around & { readonly pod: PodObject | undefined },
): Step {
  const owner = pvr.status?.node || undefined;
  const ours = owner === node;
  if (owner !== undefined && !ours) return { do: "wait" };
  if (!ours && (pod === undefined || pod.spec?.nodeName !== node)) return { do: "wait" };
  const step = common(pvr, running);
  if (step !== undefined) return step;
  if (pod === undefined) return { do: "end", state: "failed", message: "the pod is gone" };
  if (isHeldBack(pod)) return { do: "run" };
  // Only our own marker lets the pod pass its init container.
  return ours && hasPassed(pod) ? { do: "complete" } : { do: "wait" };
}

function common(object: PodVolumeBackup | PodVolumeRestore, running: boolean): Step | undefined {
  const { deletionTimestamp, finalizers = [] } = object.metadata;
  const phase = veleroPhaseOf(object.status);
  if (isVolumeEnded(object.status)) {
    return finalizers.includes(veleroNames.podVolumeFinalizer) ? { do: "release" } : { do: "wait" };
  }
  if (object.spec?.cancel === true || deletionTimestamp !== undefined || phase === "Canceling") {
    const message =
      deletionTimestamp === undefined ? "canceled by request" : "canceled: the object is deleted";
    return running ? { do: "stop" } : { do: "end", state: "canceled", message };
  }
  return running ? { do: "wait" } : undefined;
}

function hasPassed(pod: PodObject): boolean {
  const [first] = pod.status?.initContainerStatuses ?? [];
  return first?.state?.terminated !== undefined && first.state.terminated !== null;
}
