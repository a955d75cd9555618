import type { StoredOperationStatus } from "../../api/index.ts";
import type { Observation } from "../../progress/index.ts";
import type { RunPhase } from "./phase.ts";

/** Work on one item that goes on beside the others: what is written down of it, and the same as a part of the run's tree. */
export interface ItemOperation<S extends { readonly status: StoredOperationStatus }> {
  readonly stored: S;
  readonly seen: Observation;
}

/** Whether nothing more will come of an operation. */
export function isOperationEnded({ phase }: StoredOperationStatus): boolean {
  return phase === "Completed" || phase === "Failed" || phase === "Canceled";
}

/** The operations of a run as its status counts them; zeros are left out, as Go does. */
export function countOperations(
  kind: "backup" | "restore",
  operations: readonly ItemOperation<{ readonly status: StoredOperationStatus }>[],
): Readonly<Record<string, number>> {
  const ended = operations.filter(({ stored }) => isOperationEnded(stored.status));
  const well = ended.filter(({ stored }) => stored.status.phase === "Completed").length;
  return {
    ...(operations.length > 0 && { [`${kind}ItemOperationsAttempted`]: operations.length }),
    ...(well > 0 && { [`${kind}ItemOperationsCompleted`]: well }),
    ...(ended.length > well && { [`${kind}ItemOperationsFailed`]: ended.length - well }),
  };
}

/** The phase of a run whose items are done: it waits for operations, or finishes. */
export function lastPhase(stage: "waiting" | "finishing", errors: number): RunPhase {
  if (stage === "waiting")
    return errors > 0 ? "WaitingForPluginOperationsPartiallyFailed" : "WaitingForPluginOperations";
  return errors > 0 ? "FinalizingPartiallyFailed" : "Finalizing";
}

/** Whether a run has begun and not ended: whoever finds it so takes it up again. */
export function isRunUnderWay(phase: string | null | undefined): boolean {
  return /^(InProgress|WaitingForPluginOperations|Finalizing)/.test(phase ?? "");
}
