import type { Drill, drillPhases } from "../../api/index.ts";
import type { State } from "../../progress/index.ts";

/** The phases of a Drill. */
type DrillPhase = (typeof drillPhases)[number];

/** The phase of a drill; absent and empty mean New. */
export function drillPhaseOf({ status }: Pick<Drill, "status">): DrillPhase {
  return status?.phase ?? "New";
}

/** The state that a drill's phase means. A phase that this release does not know is one on the way. */
export function drillStateOf(drill: Pick<Drill, "status">): State {
  switch (drillPhaseOf(drill)) {
    case "New":
    case "Scheduled":
      return "pending";
    case "Completed":
      return "completed";
    case "Failed":
    case "FailedValidation":
      return "failed";
    case "Canceled":
      return "canceled";
    default:
      return "running";
  }
}

/** Whether nothing more will be done for a drill. */
export function isDrillEnded(drill: Pick<Drill, "status">): boolean {
  const state = drillStateOf(drill);
  return state !== "pending" && state !== "running";
}

/** A drill with a schedule does nothing itself: it makes one drill for each of its times. */
export function isDrillSchedule({ spec }: Pick<Drill, "spec">): boolean {
  return (spec?.schedule ?? "") !== "";
}
