import { type BackupStorageLocation, type Period, readPeriod } from "../../api/index.ts";

/** Says that the store of a location is the right one, whatever it holds. */
export const adoptAnnotation = "headway.dev/adopt-store";
/** Says that Backups whose files are gone may go, however many. */
export const forgetAnnotation = "headway.dev/forget-missing";
/** Where the sync says that it waits for somebody's word: `MISSING of ALL`. */
export const missingAnnotation = "headway.dev/missing-backups";

const minuteMs = 60_000;

/** How often a location is checked. */
export function validationPeriod({ spec }: BackupStorageLocation): Period {
  return readPeriod("validationFrequency", spec?.validationFrequency, minuteMs);
}

/** How often a location is searched for backups. */
export function syncPeriod({ spec }: BackupStorageLocation): Period {
  return readPeriod("backupSyncPeriod", spec?.backupSyncPeriod, minuteMs);
}

/** What a person should know of a location that can be used; undefined when all is well. */
export function remarksOf(
  location: BackupStorageLocation,
  ...more: readonly (string | undefined)[]
): string | undefined {
  const { name, annotations } = location.metadata;
  const missing = annotations?.[missingAnnotation];
  const all = [
    validationPeriod(location).fault,
    syncPeriod(location).fault,
    missing &&
      `the files of ${missing} backups are gone from the store; their Backup objects stay until somebody says: headway location forget-missing ${name}`,
    ...more,
  ].filter((one) => one !== undefined && one !== "");
  return all.length === 0 ? undefined : all.join("; ");
}
