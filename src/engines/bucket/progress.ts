import type { Observation, Ref, State } from "../../progress/index.ts";

/** How many of each are done. */
interface Count {
  readonly done: number;
  readonly total?: number;
}

/** How far a check is. */
export interface Counts {
  readonly repositories: Count;
  readonly backups: Count;
  readonly restores: Count;
}

/** A check as an operation: the same tree as that of a backup. */
export function checkObservation(place: string, counts: Counts, state: State): Observation {
  const ref: Ref = { apiVersion: "headway.dev/v1alpha1", kind: "BucketCheck", name: place };
  const isLooked = counts.backups.total !== undefined;
  const step = (id: string, title: string, { done, total }: Count, before: boolean): Observation => {
    const isDone = state === "completed" || (total !== undefined && done >= total);
    return {
      id,
      ref,
      kind: "step",
      title,
      state: isDone ? "completed" : before ? "running" : "pending",
      progress: { unit: "items", done, ...(total !== undefined && { total }) },
    };
  };
  const { repositories, backups, restores } = counts;
  const isPast = (count: Count) => count.total !== undefined && count.done >= count.total;
  return {
    id: "bucket-check",
    ref,
    kind: "BucketCheck",
    title: `check ${place}`,
    state,
    rule: "steps",
    children: [
      step("look", "look at the bucket", { done: isLooked ? 1 : 0, total: 1 }, true),
      step("repositories", "repositories", repositories, isLooked),
      step("backups", "backups", backups, isLooked && isPast(repositories)),
      step("restores", "restores", restores, isLooked && isPast(backups)),
    ],
  };
}
