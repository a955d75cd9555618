import { type BackupRepository, isRecord, parseTimeMs } from "../../api/index.ts";
import { AppError } from "../../errors.ts";

const hourMs = 3_600_000;
/** Upstream's names for how often everything is looked through, not only what is new. */
const intervals: Readonly<Record<string, number>> = {
  normalGC: 24 * hourMs,
  fastGC: 12 * hourMs,
  eagerGC: 6 * hourMs,
};

/** When a repository was last looked through as a whole. */
export const fullAnnotation = "headway.dev/full-maintenance";

/** What a repository is told by its config. */
export interface RepositorySettings {
  readonly cacheBytes?: number;
  /** Between two maintenances of all of it; each one is of all when absent. */
  readonly fullEveryMs?: number;
}

/** The config of new repositories of a type, out of the ConfigMap that upstream's server takes it from; every value is text. */
export function newRepositoryConfig(
  type: string,
  data: Readonly<Record<string, string>> | undefined,
): Record<string, string> | undefined {
  const text = data?.[type];
  if (text === undefined) return undefined;
  const found: unknown = parsed(text);
  if (!isRecord(found)) {
    throw new AppError("REPOSITORY_NOT_READY", `the key "${type}" of the ConfigMap is no JSON object`);
  }
  return Object.fromEntries(
    Object.entries(found).map(([name, value]) => [
      name,
      typeof value === "string" ? value : JSON.stringify(value),
    ]),
  );
}

/** Reads the config of a repository; an interval that upstream does not know keeps it from being used, as there. */
export function settingsOf(repository: BackupRepository): RepositorySettings {
  const { fullMaintenanceInterval } = repository.spec?.repositoryConfig ?? {};
  const cacheBytes = cacheBytesOf(repository);
  const fullEveryMs =
    fullMaintenanceInterval && Object.hasOwn(intervals, fullMaintenanceInterval)
      ? intervals[fullMaintenanceInterval]
      : undefined;
  if (fullMaintenanceInterval && fullEveryMs === undefined) {
    const what = `fullMaintenanceInterval "${fullMaintenanceInterval}" is none of ${Object.keys(intervals).join(", ")}`;
    throw new AppError("REPOSITORY_NOT_READY", what);
  }
  return {
    ...(cacheBytes !== undefined && { cacheBytes }),
    ...(fullEveryMs !== undefined && { fullEveryMs }),
  };
}

/** What the caches of a repository may take, wherever it is opened; undefined when nobody says. */
export function cacheBytesOf({ spec }: BackupRepository): number | undefined {
  const cacheMb = Number(spec?.repositoryConfig?.["cacheLimitMB"]);
  return Number.isInteger(cacheMb) && cacheMb > 0 ? cacheMb * 1_000_000 : undefined;
}

/** Whether the maintenance that is due now may pass over what is old. */
export function isQuick(
  repository: BackupRepository,
  { fullEveryMs }: RepositorySettings,
  nowMs: number,
): boolean {
  const last = parseTimeMs(repository.metadata.annotations?.[fullAnnotation]);
  return fullEveryMs !== undefined && last !== undefined && last <= nowMs && nowMs - last < fullEveryMs;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // told by whoever wanted an object
  }
}
