import { aggregate, type Observation, type Ref, stepWeight } from "../../progress/index.ts";

/** The steps of a Backup, whoever runs it; upstream's status shows only some of them. */
const backupSteps = {
  collect: "counting objects",
  items: "storing objects",
  volumes: "copying volumes",
  finish: "writing to the storage location",
} as const;

/** The steps of a Restore, likewise. */
const restoreSteps = {
  archive: "reading the archive",
  items: "restoring objects",
  volumes: "restoring volumes",
  hooks: "running hooks",
  finish: "storing the results",
} as const;

/** Titles by kind. */
export const steps = { Backup: backupSteps, Restore: restoreSteps } as const;

/** The name of a step of a Backup, in the order of the run. */
export type BackupStep = keyof typeof backupSteps;
/** The name of a step of a Restore, in the order of the run. */
export type RestoreStep = keyof typeof restoreSteps;

/** One step under its name, with the title that every viewer shows; it weighs what the items of the run make of it. */
export function stepOf(
  kind: keyof typeof steps,
  name: BackupStep | RestoreStep,
  ref: Ref,
  rest: Partial<Observation>,
  items?: number,
): Observation {
  const titles: Readonly<Record<string, string>> = steps[kind];
  const weight = stepWeight(kind.toLowerCase(), name, { items });
  return { id: name, ref, kind: name, title: titles[name] ?? name, weight, ...rest };
}

/** The volumes of a run as one step: bytes added up, begun with the first of them. */
export function volumesStep(
  kind: keyof typeof steps,
  ref: Ref,
  copies: readonly Observation[],
  rest: Partial<Observation> = {},
): Observation {
  const { total: bytes } = aggregate("sum", copies.map(asPart)).progress;
  const starts = copies.flatMap(({ startedAt }) => startedAt ?? []);
  return stepOf(kind, "volumes", ref, {
    // Snapshots have no bytes to add up.
    rule: copies.every(({ rule }) => rule === "steps") ? "mean" : "sum",
    weight: stepWeight(kind.toLowerCase(), "volumes", { bytes, volumes: copies.length }),
    ...(starts.length > 0 && { startedAt: Math.min(...starts) }),
    children: copies,
    ...rest,
  });
}

function asPart({ state = "pending", progress }: Observation) {
  return { state, ...(progress && { progress: { ...progress, movedAt: 0 } }) };
}
