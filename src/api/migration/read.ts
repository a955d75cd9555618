import { put } from "../conditions.ts";
import type { MigCondition } from "./group.ts";
import type { MigMigration, MigStep } from "./migmigration.ts";

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

/** The lines of a step about its running phase; the others are results of the step's earlier phases. */
export function currentLines(step: MigStep): readonly string[] {
  const earlier = resultLines(step, ({ phase }) => phase !== step.phase);
  return (step.progress ?? []).filter((line) => !earlier.includes(line));
}

/** The lines of a step that tell what became of these of its objects: the first of each, as others may wait for it later. */
export function resultLines(
  { details = [], progress = [] }: MigStep,
  isMeant: (detail: NonNullable<MigStep["details"]>[number]) => boolean,
): readonly string[] {
  const heads = details.filter(isMeant).map(({ kind, namespace, name }) => `${kind} ${namespace}/${name}: `);
  const first = new Set(heads.map((head) => progress.findIndex((line) => line.startsWith(head))));
  return progress.filter((_, i) => first.has(i));
}
