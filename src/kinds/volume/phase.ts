import { type dataPathPhases, veleroPhaseOf } from "../../api/index.ts";
import type { State } from "../../progress/index.ts";

/** The phases of everything that moves the bytes of one volume. */
export type VolumePhase = (typeof dataPathPhases)[number];

/** What tells where the copy of a volume stands. */
export interface VolumeStatus {
  readonly phase?: string | null;
}

/** The phase of a volume's copy; absent, null and empty mean New. */
export function volumePhaseOf(status: VolumeStatus | null | undefined): string {
  return veleroPhaseOf<string>(status);
}

/** The state that a copy's phase means. A phase that this release does not know is one on the way. */
export function volumeStateOf(status: VolumeStatus | null | undefined): State {
  switch (volumePhaseOf(status) as VolumePhase) {
    case "New":
    case "Accepted":
    case "Prepared":
      return "pending";
    case "InProgress":
    case "Canceling":
      return "running";
    case "Completed":
      return "completed";
    case "Failed":
      return "failed";
    case "Canceled":
      return "canceled";
    default:
      return "running";
  }
}

/** Whether nothing more will come of a copy. */
export function isVolumeEnded(status: VolumeStatus | null | undefined): boolean {
  const state = volumeStateOf(status);
  return state !== "pending" && state !== "running";
}

/** The phase that a state is written as: work that waits for a slot has been prepared. */
export function volumePhaseFor(state: State): VolumePhase {
  switch (state) {
    case "pending":
      return "Prepared";
    case "running":
      return "InProgress";
    case "completed":
    case "skipped":
      return "Completed";
    case "partially-failed":
    case "failed":
      return "Failed";
    case "canceled":
      return "Canceled";
  }
}
