import { lawFaults } from "../../../src/progress/conformance.ts";
import {
  formatEta,
  formatProgress,
  formatStall,
  look,
  measure,
  type Observation,
  type Tracked,
  track,
} from "../../../src/progress/index.ts";
import { hostileNumber, hostileText, type Json } from "../json.ts";
import type { Random } from "../random.ts";
import { BrokenLaw, target } from "../target.ts";

const states = [
  "pending",
  "running",
  "running",
  "running",
  "completed",
  "partially-failed",
  "failed",
  "canceled",
  "skipped",
];

/** Observations of one operation, one after the other, with the moments at which they were made. */
export const observations = target<readonly { readonly at: number; readonly seen: Json }[]>({
  name: "observations",
  covers:
    "track, look and measure with hostile observations: numbers at the edges, odd names, wide and changing trees, clocks that jump",
  make: (random) =>
    Array.from({ length: 1 + random.size(12) }, () => ({
      at: 1_800_000_000_000 + hostileNumber(random),
      seen: observation(random, "root", 3),
    })),
  run(given) {
    let tracked: Tracked | undefined;
    for (const { at, seen } of given) {
      const next = track(tracked, seen as unknown as Observation, at); // of that form, as made below
      const [fault] = lawFaults(tracked?.operation, next.operation, at);
      if (fault !== undefined) throw new BrokenLaw(fault);
      const { progress, eta, stall } = look(next, at + 1);
      measure(undefined, next.operation, at);
      if (progress) formatProgress(progress);
      if (eta) formatEta(eta);
      if (stall) formatStall(stall, at);
      tracked = next;
    }
  },
});

function observation(random: Random, id: string, depth: number): Json {
  const isParent = depth > 0 && (id === "root" || random.oneIn(3));
  return {
    id,
    ref: { apiVersion: "v1", kind: "Thing", name: id, uid: random.oneIn(30) ? "other" : "first" },
    kind: "thing",
    title: random.oneIn(4) ? hostileText(random) : id,
    ...(!random.oneIn(6) && { state: random.of(states) }),
    ...(random.oneIn(8) && { startedAt: 1_800_000_000_000 + hostileNumber(random) }),
    ...(random.oneIn(8) && { finishedAt: 1_800_000_000_000 + hostileNumber(random) }),
    ...(random.oneIn(8) && { waitingFor: { reason: "queue", message: hostileText(random) } }),
    ...(random.oneIn(8) && { weight: aWeight(random) }),
    ...(random.oneIn(8) && { message: hostileText(random) }),
    ...(random.oneIn(8) && { warnings: hostileNumber(random), errors: hostileNumber(random) }),
    ...(isParent
      ? {
          rule: random.of(["mean", "sum", "items", "steps"]),
          children: Array.from({ length: random.size(random.oneIn(40) ? 200 : 5) }, (_, i) =>
            observation(random, `${id}/${i}`, depth - 1),
          ),
        }
      : {
          progress: {
            unit: random.of(["bytes", "items", "steps"]),
            done: hostileNumber(random),
            ...(!random.oneIn(3) && { total: hostileNumber(random) }),
          },
        }),
  };
}

/** Weights of a step are counts of things. Near zero a double cannot be averaged, and the judge's own sums differ. */
function aWeight(random: Random): number {
  const weight = hostileNumber(random);
  return Math.abs(weight) < 1e-300 ? 0 : weight;
}
