// What a conversion keeps beside a backup, in the backup's own folder: whoever deletes the backup deletes it too.

/** The list of volume copies and the volume info as they were before, and what is done so far. */
export const asideFiles = [originalCopies, originalInfo, conversionRecord] as const;

/** The list of volume copies before the conversion. */
export function originalCopies(name: string): string {
  return `${name}-headway-restic-podvolumebackups.json.gz`;
}

/** The volume info before the conversion. */
export function originalInfo(name: string): string {
  return `${name}-headway-restic-volumeinfo.json.gz`;
}

/** Which volumes have been converted and verified. */
export function conversionRecord(name: string): string {
  return `${name}-headway-conversion.json.gz`;
}
