import type { Mark } from "../run.ts";

/** How many stretches each side of a change must have, and how much better two rates must explain the run than one. */
const minSide = 2;
const gain = 3;

/** The index of the mark at which the present rate began: a cached prefix was over, a throttle had set in. */
export function lastChange(marks: readonly Mark[]): number {
  let from = 0;
  for (;;) {
    const at = bestSplit(marks, from);
    if (at === undefined) return from;
    from = at;
  }
}

/** Splits where the squared deviation of the rates, weighted by time, falls the most; undefined when it hardly falls. */
function bestSplit(marks: readonly Mark[], from: number): number | undefined {
  const n = marks.length - 1;
  if (n - from < 2 * minSide) return undefined;
  const sums = prefixSums(marks, from);
  const whole = deviation(sums, 0, n - from);
  let best = whole;
  let at: number | undefined;
  for (let k = minSide; k <= n - from - minSide; k++) {
    const parts = deviation(sums, 0, k) + deviation(sums, k, n - from);
    if (parts < best) {
      best = parts;
      at = k;
    }
  }
  return at !== undefined && whole > gain * best ? from + at : undefined;
}

/** Running sums over the stretches: time, units, and units squared over time. */
interface Sums {
  readonly ms: Float64Array;
  readonly units: Float64Array;
  readonly square: Float64Array;
}

function prefixSums(marks: readonly Mark[], from: number): Sums {
  const n = marks.length - from;
  const [ms, units, square] = [new Float64Array(n), new Float64Array(n), new Float64Array(n)];
  for (let i = 1; i < n; i++) {
    const [a, b] = [marks[from + i - 1] ?? [0, 0], marks[from + i] ?? [0, 0]];
    const dt = Math.max(1, b[0] - a[0]);
    const du = b[1] - a[1];
    ms[i] = (ms[i - 1] ?? 0) + dt;
    units[i] = (units[i - 1] ?? 0) + du;
    square[i] = (square[i - 1] ?? 0) + (du * du) / dt;
  }
  return { ms, units, square };
}

function deviation({ ms, units, square }: Sums, a: number, b: number): number {
  const dt = (ms[b] ?? 0) - (ms[a] ?? 0);
  const du = (units[b] ?? 0) - (units[a] ?? 0);
  return Math.max(0, (square[b] ?? 0) - (square[a] ?? 0) - (du * du) / dt);
}
