import { type Restore, veleroNames } from "../../api/index.ts";
import { isRunUnderWay, runPhaseOf } from "../../kinds/index.ts";

/** What is to be done about a restore. */
export interface QueueStep {
  readonly do: "start" | "stop" | "drop" | "clean";
  readonly restore: Restore;
}

/** The restores that run in this process. */
export interface Running {
  readonly names: ReadonlySet<string>;
  /** One that is no longer there comes to its end. */
  readonly isOther: boolean;
}

/**
 * Decides about all restores at once: one restores items at a time, those that an earlier operator had begun go first, then the
 * oldest; one that only waits for data to be moved keeps nobody waiting; canceled and deleted ones stop.
 */
export function planQueue(all: readonly Restore[], running: Running, cancelKey: string): QueueStep[] {
  const steps: QueueStep[] = [];
  const waiting: Restore[] = [];
  for (const restore of all) {
    const isRunning = running.names.has(restore.metadata.name);
    const deleted = (restore.metadata.deletionTimestamp ?? null) !== null;
    const phase = runPhaseOf(restore.status);
    const open = phase === "New" || isRunUnderWay(phase);
    const asked = restore.spec?.cancel === true || restore.metadata.annotations?.[cancelKey] === "true";
    const canceled = deleted || asked;
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
  const late = waiting.filter(isPastItems);
  for (const restore of late) steps.push({ do: "start", restore });
  const isBusy = all.some((one) => running.names.has(one.metadata.name) && !isPastItems(one));
  const [next] = waiting
    .filter((restore) => !isPastItems(restore))
    .toSorted((a, b) => (rank(a) < rank(b) ? -1 : 1));
  if (next !== undefined && !isBusy && !running.isOther) steps.push({ do: "start", restore: next });
  return steps;
}

/** Whether its items are all there, and it only waits or finishes. */
function isPastItems({ status }: Restore): boolean {
  const phase = runPhaseOf(status);
  return isRunUnderWay(phase) && phase !== "InProgress";
}

function rank(restore: Restore): string {
  const begun = runPhaseOf(restore.status) === "New" ? "1" : "0";
  return [begun, restore.metadata.creationTimestamp ?? "", restore.metadata.name].join("/");
}
