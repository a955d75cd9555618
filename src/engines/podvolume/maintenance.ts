import {
  type BackupRepository,
  formatTime,
  type Period,
  parseGoDurationMs,
  parseTimeMs,
  readPeriod,
} from "../../api/index.ts";
import { definitionOf, type MoverKind } from "../../movers/index.ts";
import { uploaderOf } from "./objects.ts";

const hourMs = 3_600_000;
/** How far the clocks of two machines may differ without one of them being wrong. */
const skewMs = 60_000;
/** How many runs a repository remembers, as upstream. */
const remembered = 25;

/** How often a repository is maintained when nobody says otherwise. */
export function defaultFrequency(type: MoverKind): string {
  return definitionOf(type).upstream.maintenance;
}

/** How often a repository is maintained, and why not as often as it says. */
export function maintenancePeriod({ spec }: BackupRepository): Period {
  const type = uploaderOf({ uploaderType: spec?.repositoryType ?? "" });
  const usual = parseGoDurationMs(defaultFrequency(type)) ?? hourMs;
  return readPeriod("maintenanceFrequency", spec?.maintenanceFrequency, usual);
}

/** How long until a repository is due; 0 means now, undefined never. */
export function dueInMs(repository: BackupRepository, nowMs: number): number | undefined {
  const { ms: every } = maintenancePeriod(repository);
  if (every === 0) return undefined;
  const runs = repository.status?.recentMaintenance ?? [];
  // A run that failed is not repeated at once, or a broken repository would be maintained in a loop.
  const times = [
    parseTimeMs(repository.status?.lastMaintenanceTime) ?? 0,
    ...runs.map((run) => parseTimeMs(run.completeTimestamp) ?? 0),
  ];
  // What was written by a clock that was ahead must not put maintenance off until then.
  const last = Math.max(0, ...times.filter((time) => time <= nowMs + skewMs));
  return Math.max(0, last + every - nowMs);
}

/** The status after a maintenance run. */
export function afterMaintenance(
  repository: BackupRepository,
  run: { readonly startedMs: number; readonly endedMs: number; readonly error?: string },
): Record<string, unknown> {
  const at = formatTime(run.endedMs);
  const entry = {
    result: run.error === undefined ? "Succeeded" : "Failed",
    startTimestamp: formatTime(run.startedMs),
    completeTimestamp: at,
    ...(run.error !== undefined && { message: run.error }),
  };
  return {
    recentMaintenance: [...(repository.status?.recentMaintenance ?? []), entry].slice(-remembered),
    ...(run.error === undefined && { lastMaintenanceTime: at }),
  };
}
