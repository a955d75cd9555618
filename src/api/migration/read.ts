import { put } from "../conditions.ts";
import type { MigCondition } from "./group.ts";
import type { MigMigration } from "./migmigration.ts";

/** The itinerary of a run under either spelling; the right one wins. */
export function itineraryOf(status: MigMigration["status"] | null): string | undefined {
  return status?.itinerary || status?.itenerary || undefined;
}

/** The phase of a run; absent and empty mean Created. */
export function migPhaseOf(status: MigMigration["status"] | null): string {
  return status?.phase || "Created";
}

/** The count in a Running condition's message, such as `Step: 7/33`; undefined when there is none. */
export function stepCount(
  message: string | undefined,
): { readonly step: number; readonly of: number } | undefined {
  const [, step, of] = /(\d+)\s*\/\s*(\d+)/.exec(message ?? "") ?? [];
  return step && of ? { step: Number(step), of: Number(of) } : undefined;
}

/** The list with a condition put in its place; its time moves when anything but `progress` changes. */
export function setMigCondition(
  list: readonly MigCondition[] | null | undefined,
  condition: Omit<MigCondition, "lastTransitionTime">,
  now: string,
): readonly MigCondition[] {
  return put<MigCondition>(list, condition, now, (old) =>
    (["status", "reason", "category", "message", "durable"] as const).every(
      // An absent text and an empty one are the same to Go, and so are absent and false.
      (field) => (old[field] || undefined) === (condition[field] || undefined),
    ),
  );
}
