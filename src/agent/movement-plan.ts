import { veleroNames, veleroPhaseOf } from "../api/index.ts";
import { faultOf, isBuiltIn, type Movement } from "../engines/datapath/index.ts";
import { isVolumeEnded } from "../kinds/index.ts";

/** What an agent does about one movement of data. */
export type MovementStep =
  /** Nothing, or nothing yet. */
  | { readonly do: "wait" }
  /** It is for another data mover. */
  | { readonly do: "ignore" }
  /** Nobody has taken it: try to. */
  | { readonly do: "accept" }
  /** Make its volume reachable, or go on with it. */
  | { readonly do: "prepare" }
  /** Copy, or go on with it. */
  | { readonly do: "move" }
  /** End the work that runs. */
  | { readonly do: "stop"; readonly message: string }
  /** Nothing runs: remove what was made, and write the end. */
  | { readonly do: "end"; readonly state: "canceled" | "failed"; readonly message: string }
  /** It has ended: remove what is left, and let it be deleted. */
  | { readonly do: "release" }
  /** It is for the agent of another node, unless that one is gone. */
  | { readonly do: "watch"; readonly node: string };

/** What is known beside the object. */
export interface MovementAround {
  readonly node: string;
  /** Whether this process works on it now. */
  readonly running: boolean;
}

/** Decides what the agent of a node does about a movement. */
export function planMovement(movement: Movement, { node, running }: MovementAround): MovementStep {
  if (!isBuiltIn(movement)) return { do: "ignore" };
  const holder = holderOf(movement);
  const isOurs = holder === undefined || holder === node;
  const { finalizers = [] } = movement.metadata;
  if (isVolumeEnded(movement.status)) {
    if (!finalizers.includes(veleroNames.dataMovementFinalizer) || running) return { do: "wait" };
    return isOurs ? { do: "release" } : { do: "watch", node: holder };
  }
  const canceled = cancelWords(movement);
  if (canceled !== undefined && !isOurs) return { do: "watch", node: holder };
  if (canceled !== undefined) {
    return running ? { do: "stop", message: canceled } : { do: "end", state: "canceled", message: canceled };
  }
  if (running) return { do: "wait" };
  return isOurs ? ours(movement) : others(movement, holder);
}

/** The node whose agent works on a movement; undefined while nobody has taken it. */
function holderOf({ status }: Movement): string | undefined {
  return status?.node || status?.acceptedByNode || undefined;
}

function ours(movement: Movement): MovementStep {
  const fault = faultOf(movement);
  if (fault !== undefined) return { do: "end", state: "failed", message: fault };
  switch (veleroPhaseOf<string>(movement.status)) {
    case "New":
      return { do: "accept" };
    case "Accepted":
      return { do: "prepare" };
    case "Prepared":
    case "InProgress":
      return { do: "move" };
    default:
      return { do: "wait" }; // a phase of a later release
  }
}

/** A preparation may go on anywhere; a copy only where the volume is. */
function others({ status }: Movement, node: string): MovementStep {
  return veleroPhaseOf<string>(status) === "Accepted" ? { do: "watch", node } : { do: "wait" };
}

function cancelWords({ metadata, spec, status, kind }: Movement): string | undefined {
  // In upstream's words, by which people search.
  if (metadata.deletionTimestamp !== undefined) {
    return `Cancel ${kind.toLowerCase()} because it is being deleted`;
  }
  if (spec?.cancel === true || veleroPhaseOf<string>(status) === "Canceling") {
    return status?.message || "canceled by request";
  }
  return undefined;
}
