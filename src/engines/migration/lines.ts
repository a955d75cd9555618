import {
  type Backup,
  bytesOf,
  formatGoDuration,
  itemsOf,
  type PodVolumeBackup,
  type PodVolumeRestore,
  parseTimeMs,
  type Restore,
  veleroPhaseOf,
} from "../../api/index.ts";

const units = ["kB", "MB", "GB", "TB", "PB", "EB"] as const;

/** A size as upstream's pages read it: base 1000, two decimals, whole bytes below 1000. */
export function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  let value = bytes / 1000;
  let at = 0;
  while (value >= 1000 && at < units.length - 1) {
    value /= 1000;
    at += 1;
  }
  return `${value.toFixed(2)} ${units[at]}`;
}

interface Timed {
  readonly startTimestamp?: string | null;
  readonly completionTimestamp?: string | null;
}

/** ` (1m5s)`, or nothing while there is no start. */
function durationText(status: Timed | null | undefined, nowMs: number): string {
  const from = parseTimeMs(status?.startTimestamp);
  if (from === undefined) return "";
  const to = parseTimeMs(status?.completionTimestamp) ?? nowMs;
  return ` (${formatGoDuration(Math.max(0, Math.round((to - from) / 1000)) * 1000)})`;
}

const named = (kind: string, object: { readonly metadata: { namespace?: string; name: string } }) =>
  `${kind} ${object.metadata.namespace ?? ""}/${object.metadata.name}`;

/** Where a Backup stands; the format of upstream 1.5, with phases that it did not know. */
export function backupLine(backup: Backup, nowMs: number): string {
  const { status } = backup;
  const phase = veleroPhaseOf(status);
  const count = `${status?.progress?.itemsBackedUp ?? 0} out of estimated total of ${status?.progress?.totalItems ?? 0} objects backed up`;
  const tail = `${count}${durationText(status, nowMs)}`;
  const head = named("Backup", backup);
  switch (phase) {
    case "New":
      return `${head}: Not started`;
    case "Queued":
      return `${head}: Queued${status?.queuePosition ? `, position ${status.queuePosition}` : ""}`;
    case "InProgress":
    case "Completed":
      return `${head}: ${tail}`;
    case "PartiallyFailed":
      return `${head}: partially failed. ${tail}`;
    case "Failed":
      return `${head}: failed. ${tail}`;
    case "FailedValidation":
      return `${head}: validation failed.`;
    default:
      return `${head}: ${phase}${status?.progress ? `, ${tail}` : ""}`;
  }
}

/** Where a Restore stands; with counts where its server tells them, else its phase. */
export function restoreLine(restore: Restore, nowMs: number): string {
  const { status } = restore;
  const phase = veleroPhaseOf(status);
  const counts = status?.progress?.totalItems
    ? `${status.progress.itemsRestored ?? 0} out of estimated total of ${status.progress.totalItems} objects restored`
    : undefined;
  const head = named("Restore", restore);
  const tail = counts === undefined ? "" : `${counts}${durationText(status, nowMs)}`;
  switch (phase) {
    case "New":
      return `${head}: Not started`;
    case "InProgress":
    case "Completed":
      return `${head}: ${tail || phase}`;
    case "PartiallyFailed":
      return `${head}: partially failed.${tail && ` ${tail}`}`;
    case "Failed":
      return `${head}: Failed.${tail && ` ${tail}`}`;
    case "FailedValidation":
      return `${head}: validation failed.`;
    default:
      return `${head}: ${phase}${tail && `, ${tail}`}`;
  }
}

/** Where the copy of a volume stands. */
export function volumeLine(volume: PodVolumeBackup | PodVolumeRestore, nowMs: number): string {
  const isBackup = volume.kind === "PodVolumeBackup";
  const { status } = volume;
  const { done, total = 0 } = bytesOf(status?.progress);
  const size = `${sizeText(done)} out of ${sizeText(total)} ${isBackup ? "backed up" : "restored"}${durationText(status, nowMs)}`;
  const head = named(volume.kind, volume);
  switch (veleroPhaseOf(status)) {
    case "InProgress":
    case "Completed":
      return `${head}: ${size}`;
    case "Failed":
      return `${head}: Failed. ${size}`;
    case "Canceling":
    case "Canceled":
      return `${head}: ${status?.phase}`;
    default:
      return `${head}: Waiting for ongoing volume ${isBackup ? "backup(s)" : "restore(s)"} to complete`;
  }
}

/** The one line for the Running condition: items, and volumes with their bytes when there are some. */
export function headline(
  run: Backup | Restore,
  volumes: readonly (PodVolumeBackup | PodVolumeRestore)[],
): string {
  const { done, total } = itemsOf(run.status?.progress);
  const verb = run.kind === "Backup" ? "backed up" : "restored";
  const head = total === undefined ? veleroPhaseOf(run.status) : `${done}/${total} items ${verb}`;
  if (volumes.length === 0) return head;
  const over = volumes.filter((one) => veleroPhaseOf(one.status) === "Completed").length;
  const bytes = volumes.map((one) => bytesOf(one.status?.progress));
  const sum = (pick: (one: { done: number; total?: number }) => number) =>
    sizeText(bytes.reduce((all, one) => all + pick(one), 0));
  return `${head}, ${over}/${volumes.length} volumes, ${sum((one) => one.done)} of ${sum((one) => one.total ?? one.done)}`;
}

/** A line without what changes by the clock alone, to tell movement from the passing of time. */
export function withoutDuration(line: string): string {
  return line.replace(/ \([0-9hms.]+\)$/, "");
}

/** A line's message, without the object it is about. */
export function messageOfLine(line: string): string {
  return line.replace(/^\S+ [^\s/]*\/[^\s:]+: /, "");
}
