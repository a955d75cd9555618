import type { WholeRun } from "../../progress/index.ts";

/** Where a duration comes from, the surest first. */
export type Basis = "restores" | "backups" | "other volumes" | "bandwidth" | "assumed";

/** How long a piece of work takes, with the range that four of five keep to. */
export interface Duration {
  readonly seconds: number;
  readonly low: number;
  readonly high: number;
  readonly basis: Basis;
}

/** One volume that has to come back. */
export interface VolumeWork {
  /** As every surface names it. */
  readonly title: string;
  /** Unknown where neither copy nor volume information says it. */
  readonly bytes?: number;
  /** What restores of it took, or where there was none, what its backups took. */
  readonly restored?: WholeRun;
  readonly copied?: WholeRun;
}

/** One backup that has to be restored. */
export interface BackupWork {
  readonly name: string;
  readonly items?: number;
  /** What the objects of its restores, or of its backups, took. */
  readonly restored?: WholeRun;
  readonly volumes: readonly VolumeWork[];
  /** From the end of the restore to the last ready workload, as a drill measured it. */
  readonly readySeconds?: number;
}

/** What the one who asks knows of the place where it will be restored. */
export interface Place {
  /** Volumes that are restored at a time, in all. */
  readonly slots: number;
  /** Of the link to the bucket, for all volumes together. */
  readonly bytesPerSecond?: number;
}

/** What is assumed of a volume or of objects about which nothing is known: a guess, and told as one. */
export const assumptions = { bytesPerSecond: 25 * 1024 ** 2, itemsPerSecond: 100, factor: 3 };

/** A volume whose size nobody knows is taken for the middle of the others, or for this. */
const assumedBytes = 10 * 1024 ** 3;

/** How long each volume takes when it shares the link with no other. */
export function volumeDurations(
  all: readonly BackupWork[],
  { bytesPerSecond }: Pick<Place, "bytesPerSecond">,
): (volume: VolumeWork) => Duration {
  const volumes = all.flatMap((backup) => backup.volumes);
  const rates = volumes.flatMap((volume) => {
    const known = volume.restored ?? volume.copied;
    return known && volume.bytes && known.seconds > 0 ? [volume.bytes / known.seconds] : [];
  });
  const size = middle(volumes.flatMap(({ bytes }) => (bytes === undefined ? [] : [bytes]))) ?? assumedBytes;
  const rate = middle(rates);
  return (volume) => {
    if (volume.restored) return { ...timesOf(volume.restored), basis: "restores" };
    // Nobody has restored it: its backup took about as long, and how well that holds is less sure.
    if (volume.copied) return { ...widened(volume.copied, 1.5), basis: "backups" };
    const bytes = volume.bytes ?? size;
    if (rate !== undefined) return { ...widened(exactly(bytes / rate), 2), basis: "other volumes" };
    if (bytesPerSecond !== undefined)
      return { ...widened(exactly(bytes / bytesPerSecond), 2), basis: "bandwidth" };
    return { ...guess(bytes / assumptions.bytesPerSecond), basis: "assumed" };
  };
}

/** How long the objects of a backup take. */
export function objectsDuration({ items = 0, restored }: BackupWork): Duration {
  if (restored) return { ...timesOf(restored), basis: "restores" };
  return { ...guess(items / assumptions.itemsPerSecond), basis: "assumed" };
}

type Times = Omit<Duration, "basis">;

function timesOf({ seconds, low, high }: Times): Times {
  return { seconds, low, high };
}

function exactly(seconds: number): Times {
  return { seconds, low: seconds, high: seconds };
}

function widened({ seconds, low, high }: Times, factor: number): Times {
  return { seconds, low: low / factor, high: high * factor };
}

function guess(seconds: number): Times {
  return widened(exactly(seconds), assumptions.factor);
}

function middle(values: readonly number[]): number | undefined {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}
