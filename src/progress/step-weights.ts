/** How much work a step has, as far as it is known. */
export interface Workload {
  readonly items?: number | undefined;
  readonly bytes?: number | undefined;
  readonly volumes?: number | undefined;
}

/** What a step is expected to take: a part that is always there, and one for each thing in it. In seconds. */
interface Cost {
  readonly always: number;
  readonly item?: number;
  readonly byte?: number;
  readonly volume?: number;
  /** The bytes of a volume of which nobody knows the size. */
  readonly unknownVolume?: number;
}

/** A mover reads 60 MB/s and writes 120 MB/s, a volume takes half a second of its own, and one nobody has measured is 300 MB. */
const copying: Cost = { always: 1, byte: 1 / 60e6, volume: 0.5, unknownVolume: 300e6 };

/**
 * The seconds that a step takes where no earlier run tells better, by the kind of the run: the one table of weights. Its
 * numbers are those of recorded runs on two cores (`bench/RESULTS.md`, "shares"), and only how they compare matters. A tail that nobody has
 * measured weighs little: it must not hold back the share of the work in front of it.
 */
const costs: Readonly<Record<string, Readonly<Record<string, Cost>>>> = {
  backup: {
    collect: { always: 1 },
    items: { always: 1, item: 0.001 },
    volumes: copying,
    finish: { always: 0.2, item: 0.0001 },
  },
  restore: {
    archive: { always: 0.5, item: 0.0002 },
    items: { always: 1, item: 0.005 },
    volumes: { ...copying, byte: 1 / 120e6 },
    hooks: { always: 2 },
    finish: { always: 0.2, item: 0.0002 },
  },
  // Phases that copy or wait for copies are most of a migration; the others take a moment each.
  migration: {
    InitialBackupCreated: { always: 20 },
    StageBackupCreated: { always: 20 },
    StageRestoreCreated: { always: 20 },
    FinalRestoreCreated: { always: 20 },
  },
};

/** What a step weighs among its siblings: the seconds it is expected to take with the work that is known of it. */
export function stepWeight(kind: string, step: string, { items, bytes, volumes }: Workload = {}): number {
  const { always, item = 0, byte = 0, volume = 0, unknownVolume = 0 } = costs[kind]?.[step] ?? { always: 1 };
  const size = bytes ?? (volumes ?? 0) * unknownVolume;
  return always + (items ?? 0) * item + size * byte + (volumes ?? 0) * volume;
}
