import { type DrillStep } from "../../kinds/index.ts";
import type { Outcome } from "../../kube/index.ts";
import { type Failure, keptOf } from "./blame.ts";
import type { Desk, DrillStatus, StepsSeen } from "./desk.ts";

const later: readonly DrillStep[] = ["prepare", "restore", "ready", "volumes", "checks"];

/** Turns to the clean-up: `step` failed, or was canceled when nothing failed; what was not begun is left out. */
export async function toCleanUp(
  desk: Desk,
  step: DrillStep | undefined,
  failures: readonly Failure[],
  changes: DrillStatus = {},
  seen: StepsSeen = {},
): Promise<Outcome> {
  const now = desk.deps.clock.now();
  const all = keptOf([...(desk.status.failures ?? []), ...failures]);
  const isCanceled = step !== undefined && failures.length === 0;
  const message = failures[0]?.message ?? (isCanceled ? "canceled by request" : undefined);
  const steps: Record<string, object> = { ...seen };
  for (const name of later) {
    const known = seen[name]?.state ?? desk.step(name)?.state;
    if (name === step && (known === undefined || known === "running" || known === "pending")) {
      steps[name] = {
        ...seen[name],
        state: isCanceled ? "canceled" : "failed",
        startedAt: desk.step(name)?.startedAt ?? now,
        finishedAt: now,
        ...(message !== undefined && { message }),
        ...(failures.length > 0 && { errors: failures.length }),
      };
    } else if (known === undefined) steps[name] = { state: "skipped" };
  }
  steps["cleanup"] = { state: "running", startedAt: now };
  await desk.put({ ...changes, phase: "CleaningUp", ...(all.length > 0 && { failures: all }) }, steps);
  return { againAfterMs: 0 };
}
