import { findCondition, type MigMigration, migPhaseOf } from "../../api/index.ts";
import type { State } from "../../progress/index.ts";

/** The state of a migration: conditions say how it goes, the phase whether it is over. */
export function migrationStateOf({ status }: Pick<MigMigration, "status">): State {
  const is = (type: string) => findCondition(status?.conditions, type)?.status === "True";
  const isOver = isMigrationEnded(status);
  if (is("Canceled")) return isOver ? "canceled" : "running";
  if (is("Failed")) return isOver ? "failed" : "running";
  if (is("SucceededWithWarnings")) return "partially-failed";
  if (is("Succeeded") || isOver) return (status?.errors?.length ?? 0) > 0 ? "failed" : "completed";
  return status?.startTimestamp ? "running" : "pending";
}

/** Whether nothing more will be done for a migration. */
function isMigrationEnded(status: MigMigration["status"] | null): boolean {
  return migPhaseOf(status) === "Completed";
}
