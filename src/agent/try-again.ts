import type { Code } from "../errors.ts";
import type { AgentStall } from "../kinds/index.ts";

/** Another try after a while, and what to call the time until then. */
export interface Again {
  readonly afterMs: number;
  readonly cause: AgentStall;
}

/** Whether a copy that failed is tried again: what may pass is, what a person has to mend is not. */
export function tryAgain(code: Code | undefined, attempt: number, elapsedMs: number): Again | undefined {
  switch (code) {
    case "MOVER_LOCKED":
      // Locks of the dead are removed at each try; those of the living end with their work.
      return elapsedMs < lockMs ? { afterMs: 5_000, cause: "lock-held" } : undefined;
    case "MOVER_EXIT":
      return attempt < attempts ? { afterMs: 1_000 * attempt, cause: "mover-gone" } : undefined;
    case "MOVER_REPOSITORY":
    case "MOVER_REPOSITORY_MISSING":
    case "KUBE_UNREACHABLE":
      return attempt < attempts ? { afterMs: 5_000 * attempt, cause: "store-unreachable" } : undefined;
    default:
      return undefined;
  }
}

const attempts = 5;
const lockMs = 10 * 60_000;
