/** What the numbers of a progress count. */
export type Unit = "bytes" | "items" | "steps";

/** What a worker says at one moment. */
export interface Sample {
  readonly unit: Unit;
  readonly done: number;
  /** Absent while the work is still being counted. Unknown is not zero. */
  readonly total?: number;
  /** The total is a guess, from earlier work of the kind or from the work beside it; nobody has measured it yet. */
  readonly estimated?: true;
}

/** A sample plus the moment (epoch ms) at which `done` last grew. */
export interface Progress extends Sample {
  readonly movedAt: number;
}

/**
 * The highest share that work shows before it has ended well; a truncated percent with two decimals then reads 99.99.
 */
export const almost = 0.9999;

/** Folds a sample in: `done` never falls, a known total stays known, and repeating oneself is not moving. */
export function advance(prev: Progress | undefined, next: Sample, nowMs: number): Progress {
  // Another unit is another measure: nothing of the old numbers can be carried over.
  const old = prev?.unit === next.unit ? prev : undefined;
  const said = count(next.done);
  const done = Math.max(old?.done ?? 0, said ?? 0);
  const { total, estimated } = newerTotal(old, next);
  const moved = old === undefined || done > old.done;
  return {
    unit: next.unit,
    done,
    // A file that grows under the mover pushes `done` past `total`: then the scope was larger than thought.
    ...(total !== undefined && { total: Math.max(total, done) }),
    ...(estimated && { estimated }),
    movedAt: moved ? nowMs : Math.min(old.movedAt, nowMs),
  };
}

/** A guess never replaces what was measured. */
function newerTotal(old: Progress | undefined, next: Sample): Pick<Sample, "total" | "estimated"> {
  const said = count(next.total);
  const isMeasured = old?.total !== undefined && !old.estimated;
  const from = said === undefined || (next.estimated && isMeasured) ? old : next;
  return {
    ...(from?.total !== undefined && { total: from.total }),
    ...(from?.total !== undefined && from.estimated && { estimated: true }),
  };
}

/** All of a work that has ended well: what was counted, for a guess is no count. */
export function allOf({ done, total, estimated }: Sample): number {
  return total === undefined || estimated ? done : total;
}

/** The share that is done, 0..1, or undefined while there is no total to measure it by. */
export function fraction(s: Sample): number | undefined {
  const total = count(s.total);
  // A total of zero says "nothing found yet" as often as "nothing to do"; only the end tells which.
  if (total === undefined || total === 0) return undefined;
  return Math.min(1, (count(s.done) ?? 0) / total);
}

/**
 * The numbers to write where readers divide them themselves: until the work has ended well something is left to do, and
 * `done` stays at or above what was written before.
 */
export function unfinished(sample: Sample, before = 0): Sample {
  const { done, total } = sample;
  if (total === undefined || total === 0) return { ...sample, done: Math.max(done, before) };
  const shown = Math.max(before, Math.min(done, total - 1));
  // A total that shrinks onto what is written already stays one ahead of it.
  return { ...sample, done: shown, total: Math.max(total, shown + 1) };
}

/** The total of a restore that meets extra items on its way: what is restored plus what is left of the list. */
export function growingTotal(restored: number, listed: number, visited: number): number {
  return restored + Math.max(0, listed - visited);
}

/** A count that can be believed; NaN, infinities, negatives and wrapped 64-bit values say nothing. */
export function count(value: number | undefined): number | undefined {
  return value !== undefined && value >= 0 && value <= Number.MAX_SAFE_INTEGER ? value : undefined;
}
