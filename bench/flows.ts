// Synthetic flows with known ends: the shapes on which rules of estimation differ.

/** One flow: what was reported when (ms since the start), and when it was really over. */
export interface Flow {
  readonly samples: readonly (readonly [ms: number, done: number])[];
  readonly total: number;
  readonly endMs: number;
}

/** A random source that gives the same numbers for the same seed. */
export function random(seed: number): () => number {
  let a = seed >>> 0;
  return () => {
    a = (a + 0x6d2b79f5) >>> 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

function normal(next: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
}

/** The speed at a share of the bytes, the tail as a share of the work, and the mean pause between reports. */
export interface Shape {
  readonly speed: (share: number) => number;
  readonly tail: number;
  readonly everySeconds: number;
}

type Workload = (next: () => number) => Shape;

/** The shapes of the issue, each as a maker of workloads. */
export const shapes: Readonly<Record<string, Workload>> = {
  steady: () => ({ speed: () => 1, tail: 0, everySeconds: 1 }),
  "cached prefix": (next) => {
    const [until, times] = [0.3 + 0.3 * next(), 10 + 20 * next()];
    return { speed: (share) => (share < until ? times : 1), tail: 0, everySeconds: 1 };
  },
  "small, then large": (next) => {
    const [until, slow] = [0.15 + 0.25 * next(), 0.1 + 0.2 * next()];
    return { speed: (share) => (share < until ? slow : 1), tail: 0, everySeconds: 1 };
  },
  throttled: (next) => {
    const [from, slow] = [0.3 + 0.4 * next(), 0.2 + 0.2 * next()];
    return { speed: (share) => (share > from ? slow : 1), tail: 0, everySeconds: 1 };
  },
  bursty: () => ({ speed: () => 1, tail: 0, everySeconds: 15 }),
  "long tail": (next) => ({ speed: () => 1, tail: 0.25 + 0.35 * next(), everySeconds: 1 }),
};

/** One run of a workload: its speed differs by about 30 %, its shape by about 20 %, its size by about 5 %. */
export function flow(shape: Shape, next: () => number): Flow {
  const total = Math.round(100e9 * Math.exp(0.05 * normal(next)));
  const pace = 100e6 * Math.exp(0.3 * normal(next));
  const stretch = Array.from({ length: 20 }, () => Math.exp(0.2 * normal(next)));
  const shift = 0.02 * normal(next);
  const samples: [number, number][] = [];
  let [ms, done, reportAt] = [0, 0, 0];
  let level = 1;
  while (done < total) {
    ms += 1000;
    level = 0.9 * level + 0.1 * Math.exp(0.15 * normal(next));
    const share = done / total;
    const rate = pace * shape.speed(share + shift) * (stretch[Math.floor(share * 20)] ?? 1) * level;
    done = Math.min(total, done + rate);
    if (ms < reportAt && done < total) continue;
    samples.push([ms, Math.round(done)]);
    reportAt = ms + 1000 * (shape.everySeconds > 1 ? -shape.everySeconds * Math.log(1 - next()) : 1);
  }
  return {
    samples,
    total,
    endMs: ms * (1 + shape.tail) * (shape.tail > 0 ? Math.exp(0.05 * normal(next)) : 1),
  };
}
