/** A backup that a recovery may need. */
export interface Candidate {
  readonly name: string;
  /** Epoch ms at which it began; absent where its metadata does not say. */
  readonly atMs?: number;
  readonly phase: string;
  /** The schedule that made it. */
  readonly schedule?: string;
  /** Absent or empty: all namespaces. */
  readonly namespaces?: readonly string[];
  /** A selector or other filter holds some of it back. */
  readonly isPartial: boolean;
}

/** Which backups a full recovery restores, and which it leaves, with the reason. */
export interface Choice<T> {
  readonly chosen: readonly T[];
  readonly failed: readonly T[];
}

const good: readonly string[] = ["Completed", "PartiallyFailed"];

/**
 * The newest good backup of each schedule, and of each set of namespaces that was backed up by hand. One whose namespaces are all
 * in newer ones that were chosen, with nothing held back there, is not needed.
 */
export function choose<T extends Candidate>(all: readonly T[]): Choice<T> {
  const newest = new Map<string, T>();
  const failed = new Map<string, T>();
  for (const one of all) {
    const into = good.includes(one.phase) ? newest : failed;
    const key = keyOf(one);
    const known = into.get(key);
    if (!known || timeOf(one) > timeOf(known)) into.set(key, one);
  }
  const chosen: T[] = [];
  for (const one of [...newest.values()].toSorted((a, b) => timeOf(b) - timeOf(a))) {
    if (!isCovered(one, chosen)) chosen.push(one);
  }
  // A failure is worth telling where it is the last word about its schedule or namespaces.
  const last = [...failed].filter(([key, one]) => timeOf(one) > timeOf(newest.get(key)));
  return { chosen, failed: last.map(([, one]) => one) };
}

function keyOf({ schedule, namespaces = [] }: Candidate): string {
  return schedule === undefined ? `namespaces ${namespaces.toSorted().join(",")}` : `schedule ${schedule}`;
}

function isCovered(one: Candidate, newer: readonly Candidate[]): boolean {
  const whole = newer.filter(({ isPartial }) => !isPartial);
  if (whole.some(coversAll)) return true;
  const covered = new Set(whole.flatMap(({ namespaces = [] }) => namespaces));
  return !coversAll(one) && (one.namespaces ?? []).every((name) => covered.has(name));
}

function coversAll({ namespaces = [] }: Candidate): boolean {
  return namespaces.length === 0 || namespaces.includes("*");
}

function timeOf(one: Candidate | undefined): number {
  return one?.atMs ?? Number.NEGATIVE_INFINITY;
}
