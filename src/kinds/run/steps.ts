import type { Observation, Ref } from "../../progress/index.ts";

/** The steps of a Backup, whoever runs it; upstream's status shows only some of them. */
const backupSteps = {
  collect: { title: "counting objects", weight: 1 },
  items: { title: "storing objects", weight: 6 },
  volumes: { title: "copying volumes", weight: 20 },
  finish: { title: "writing to the storage location", weight: 2 },
} as const;

/** The steps of a Restore, likewise. */
const restoreSteps = {
  archive: { title: "reading the archive", weight: 1 },
  items: { title: "restoring objects", weight: 8 },
  volumes: { title: "restoring volumes", weight: 20 },
  hooks: { title: "running hooks", weight: 2 },
  finish: { title: "storing the results", weight: 1 },
} as const;

/** Titles and weights by kind. Weights are shares of the run while no earlier run tells better. */
export const steps = { Backup: backupSteps, Restore: restoreSteps } as const;

/** The name of a step of a Backup, in the order of the run. */
export type BackupStep = keyof typeof backupSteps;
/** The name of a step of a Restore, in the order of the run. */
export type RestoreStep = keyof typeof restoreSteps;

/** One step under its name, with the title and the weight that every viewer shows. */
export function stepOf(
  kind: keyof typeof steps,
  name: BackupStep | RestoreStep,
  ref: Ref,
  rest: Partial<Observation>,
): Observation {
  const table: Readonly<Record<string, { readonly title: string; readonly weight: number }>> = steps[kind];
  const { title = name, weight = 1 } = table[name] ?? {};
  return { id: name, ref, kind: name, title, weight, ...rest };
}

/** The volumes of a run as one step: bytes added up, begun with the first of them. */
export function volumesStep(
  kind: keyof typeof steps,
  ref: Ref,
  copies: readonly Observation[],
  rest: Partial<Observation> = {},
): Observation {
  const starts = copies.flatMap(({ startedAt }) => startedAt ?? []);
  return stepOf(kind, "volumes", ref, {
    rule: "sum",
    ...(starts.length > 0 && { startedAt: Math.min(...starts) }),
    children: copies,
    ...rest,
  });
}
