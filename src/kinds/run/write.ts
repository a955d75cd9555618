import { formatTime } from "../../api/index.ts";
import type { Operation, Sample } from "../../progress/index.ts";
import { cancelReason, runPhaseFor } from "./phase.ts";

/** The part of the status that Backup and Restore have in common. */
export interface WrittenRun {
  readonly phase: string;
  readonly startTimestamp?: string;
  readonly completionTimestamp?: string;
  readonly failureReason?: string;
  readonly warnings?: number;
  readonly errors?: number;
}

/** Where a run stands and how it ended; zeros are left out, as Go does. */
export function writeRun(operation: Operation): WrittenRun {
  const { state, startedAt, finishedAt, message, warnings, errors } = operation;
  const reason = state === "canceled" ? cancelReason(message) : state === "failed" ? message : undefined;
  return {
    phase: runPhaseFor(state),
    ...(startedAt !== undefined && { startTimestamp: formatTime(startedAt) }),
    ...(finishedAt !== undefined && { completionTimestamp: formatTime(finishedAt) }),
    ...(reason !== undefined && { failureReason: reason }),
    ...(warnings > 0 && { warnings }),
    ...(errors > 0 && { errors }),
  };
}

/** `status.progress` of a Backup; undefined until the items are counted. */
export function writeBackupItems(operation: Operation) {
  const items = itemsOf(operation);
  return items?.total === undefined ? undefined : { totalItems: items.total, itemsBackedUp: items.done };
}

/** `status.progress` of a Restore: items that are restored count, also while volumes and hooks are still to come. */
export function writeRestoreItems(operation: Operation, before?: { readonly itemsRestored?: number } | null) {
  const items = itemsOf(operation);
  if (items?.total === undefined) return undefined;
  const itemsRestored = Math.max(items.done, before?.itemsRestored ?? 0);
  return { totalItems: Math.max(items.total, itemsRestored), itemsRestored };
}

/** The step of a run that counts its items. */
function itemsOf({ children }: Operation): Sample | undefined {
  const progress = children.find(({ id }) => id === "items")?.progress;
  return progress?.unit === "items" ? progress : undefined;
}
