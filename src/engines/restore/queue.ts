import { type Restore, veleroNames } from "../../api/index.ts";
import { runPhaseOf } from "../../kinds/index.ts";

/** What is to be done about a restore. */
export interface QueueStep {
  readonly do: "start" | "stop" | "drop" | "clean";
  readonly restore: Restore;
}

/** Phases in which this engine takes a restore up; one that waits for plugin operations is the business of who began them. */
const taken = new Set(["New", "InProgress", "Finalizing", "FinalizingPartiallyFailed"]);

/**
 * Decides about all restores at once: one runs at a time, those that an earlier operator had begun go first, then the
 * oldest; canceled and deleted ones stop.
 */
export function planQueue(
  all: readonly Restore[],
  running: string | undefined,
  cancelKey: string,
): QueueStep[] {
  const steps: QueueStep[] = [];
  const waiting: Restore[] = [];
  for (const restore of all) {
    const isRunning = restore.metadata.name === running;
    const deleted = (restore.metadata.deletionTimestamp ?? null) !== null;
    const open = taken.has(runPhaseOf(restore.status));
    const canceled = deleted || restore.metadata.annotations?.[cancelKey] === "true";
    if (isRunning) {
      if (canceled) steps.push({ do: "stop", restore });
    } else if (deleted) {
      if (restore.metadata.finalizers?.includes(veleroNames.restoreFinalizer) === true)
        steps.push({ do: "clean", restore });
    } else if (open) {
      if (canceled) steps.push({ do: "drop", restore });
      else waiting.push(restore);
    }
  }
  const [next] = waiting.toSorted((a, b) => (rank(a) < rank(b) ? -1 : 1));
  if (next !== undefined && running === undefined) steps.push({ do: "start", restore: next });
  return steps;
}

function rank(restore: Restore): string {
  const begun = runPhaseOf(restore.status) === "New" ? "1" : "0";
  return [begun, restore.metadata.creationTimestamp ?? "", restore.metadata.name].join("/");
}
