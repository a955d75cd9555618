import { AppError } from "../../errors.ts";

/** A failing archive ends the backup, and so does a cluster that is away: the whole run is tried again then. A refusal does not. */
export function isFatal(error: unknown): boolean {
  return error instanceof AppError && (error.code === "SPOOL_FAILED" || error.code === "KUBE_UNREACHABLE");
}
