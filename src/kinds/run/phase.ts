import { type backupPhases, veleroPhaseOf } from "../../api/index.ts";
import type { State } from "../../progress/index.ts";

/** The phases of a Backup; those of a Restore are among them. */
export type RunPhase = (typeof backupPhases)[number];

/** What tells where a Backup or a Restore stands. Stored objects may hold phases of another release. */
export interface RunStatus {
  readonly phase?: string | null;
  readonly failureReason?: string | null;
}

/** The phase of a Backup or a Restore; absent, null and empty mean New. */
export function runPhaseOf(status: RunStatus | null | undefined): string {
  return veleroPhaseOf<string>(status);
}

/** The state that a Backup's or a Restore's phase means. A phase that this release does not know is one on the way. */
export function runStateOf(status: RunStatus | null | undefined): State {
  switch (runPhaseOf(status) as RunPhase) {
    case "New":
    case "Queued":
    case "ReadyToStart":
      return "pending";
    case "InProgress":
    case "WaitingForPluginOperations":
    case "WaitingForPluginOperationsPartiallyFailed":
    case "Finalizing":
    case "FinalizingPartiallyFailed":
      return "running";
    case "Completed":
    case "Deleting":
      return "completed";
    case "PartiallyFailed":
      return "partially-failed";
    case "Failed":
      return isCancelReason(status?.failureReason) ? "canceled" : "failed";
    case "FailedValidation":
      return "failed";
    default:
      return "running";
  }
}

/** Whether nothing more will be done for a Backup or a Restore. */
export function isRunEnded(status: RunStatus | null | undefined): boolean {
  const state = runStateOf(status);
  return state !== "pending" && state !== "running";
}

/** Upstream has no phase for canceled: the object has failed, and its reason begins with this word. */
const canceled = "canceled";

/** Whether the reason of a failure says that somebody canceled the work; both spellings are in use. */
export function isCancelReason(reason: string | null | undefined): boolean {
  return /^cancell?ed\b/i.test(reason ?? "");
}

/** The reason to write for work that was canceled, so that every reader finds it again. */
export function cancelReason(message: string | undefined): string {
  if (message === undefined || message === "") return canceled;
  return isCancelReason(message) ? message : `${canceled}: ${message}`;
}

/** The phase that a state is written as. Phases between the beginning and the end are the engine's to choose. */
export function runPhaseFor(state: State): RunPhase {
  switch (state) {
    case "pending":
      return "New";
    case "running":
      return "InProgress";
    case "completed":
    case "skipped":
      return "Completed";
    case "partially-failed":
      return "PartiallyFailed";
    case "failed":
    case "canceled":
      return "Failed";
  }
}
