import { type StatusWriter, systemClock } from "../../src/kube/index.ts";
import { type Observation, type Operation, type Tracked, track } from "../../src/progress/index.ts";
import { Reporter } from "../../src/report/index.ts";

/** A reporter without an operator around it; `seen` gets each observation with what it was folded to. */
export function reporterOf(
  status: Pick<StatusWriter, "offer" | "finish" | "flush" | "forget">,
  seen: (observation: Observation, operation: Operation) => void = () => undefined,
): Reporter {
  const known = new Map<string, Tracked>();
  return new Reporter({
    status,
    clock: systemClock,
    foldRoot(object, observation) {
      const uid = object.metadata.uid ?? object.metadata.name;
      const tracked = track(known.get(uid), observation, systemClock.now());
      known.set(uid, tracked);
      seen(observation, tracked.operation);
      return tracked.operation;
    },
  });
}
