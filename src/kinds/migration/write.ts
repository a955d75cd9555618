import { formatGoDuration, formatTime, type MigStep, parseTimeMs } from "../../api/index.ts";
import type { Observation } from "../../progress/index.ts";

/** What a step knows of one object. */
export type MigDetail = NonNullable<MigStep["details"]>[number];

/** What an observation does not hold and a person wants to read. */
interface Place {
  /** The claim whose volume it is. */
  readonly claim?: { readonly namespace: string; readonly name: string } | undefined;
  /** The object's own phase, in its own words. */
  readonly objectPhase?: string;
}

/** What is seen of an object, as a step keeps it. */
export function writeDetail(seen: Observation, { claim, objectPhase }: Place = {}): MigDetail {
  const { ref, state, progress, startedAt, finishedAt, message } = seen;
  return {
    kind: ref.kind,
    ...(ref.namespace !== undefined && { namespace: ref.namespace }),
    name: ref.name,
    ...(ref.cluster !== undefined && { cluster: ref.cluster }),
    ...(claim && { claim }),
    ...(objectPhase !== undefined && { objectPhase }),
    ...(state !== undefined && { state }),
    ...(progress && { done: progress.done, unit: progress.unit }),
    ...(progress?.total !== undefined && { total: progress.total }),
    ...(progress?.estimated && { estimated: true }),
    ...(startedAt !== undefined && { startedAt: formatTime(startedAt) }),
    ...(finishedAt !== undefined && { completedAt: formatTime(finishedAt) }),
    ...(message !== undefined && { message }),
  };
}

/** Objects whose last line is worth keeping: what was made of them is the result of a step. */
const resultKinds = [
  "Backup",
  "PodVolumeBackup",
  "DataUpload",
  "Restore",
  "PodVolumeRestore",
  "DataDownload",
  "Job",
];

/** The lines of a step: results of its earlier phases, then whatever its running phase tells. Nobody reads them back. */
export function writeLines(
  details: readonly MigDetail[],
  phase: string | undefined,
  nowMs: number,
): readonly string[] {
  return details
    .filter((one) => (phase !== undefined && one.phase === phase) || isResult(one))
    .map((one) => lineOf(one, nowMs));
}

function isResult({ kind = "", remark }: MigDetail): boolean {
  return !remark && resultKinds.includes(kind);
}

/** One line; the time is left out where no clock is given. */
export function lineOf(detail: MigDetail, nowMs?: number): string {
  const { kind, namespace = "", name = "" } = detail;
  const words = wordsOf(detail, nowMs);
  return kind === undefined ? words : `${kind} ${namespace}/${name}: ${words}`;
}

/** A line without the object that it is about; the format of upstream 1.5, with phases that it did not know. */
export function wordsOf(detail: MigDetail, nowMs?: number): string {
  const took = nowMs === undefined ? "" : durationText(detail, nowMs);
  if (detail.remark) return `${detail.message ?? ""}${took}`;
  switch (detail.kind) {
    case "Backup":
      return backupWords(detail, took);
    case "Restore":
      return restoreWords(detail, took);
    case "PodVolumeBackup":
    case "PodVolumeRestore":
    case "DataUpload":
    case "DataDownload":
      return volumeWords(detail, took);
    default:
      return detail.message ?? detail.objectPhase ?? detail.state ?? "";
  }
}

function backupWords({ objectPhase = "New", done, total, message }: MigDetail, took: string): string {
  const tail = `${done ?? 0} out of estimated total of ${total ?? 0} objects backed up${took}`;
  switch (objectPhase) {
    case "New":
      return "Not started";
    case "Queued":
      return message ? `Queued, ${message}` : "Queued";
    case "InProgress":
    case "Completed":
      return tail;
    case "PartiallyFailed":
      return `partially failed. ${tail}`;
    case "Failed":
      return `failed. ${tail}`;
    case "FailedValidation":
      return "validation failed.";
    default:
      return `${objectPhase}${done === undefined && total === undefined ? "" : `, ${tail}`}`;
  }
}

/** With counts where its server tells them, else its phase. */
function restoreWords({ objectPhase = "New", done, total }: MigDetail, took: string): string {
  const tail = total ? `${done ?? 0} out of estimated total of ${total} objects restored${took}` : "";
  switch (objectPhase) {
    case "New":
      return "Not started";
    case "InProgress":
    case "Completed":
      return tail || objectPhase;
    case "PartiallyFailed":
      return `partially failed.${tail && ` ${tail}`}`;
    case "Failed":
      return `Failed.${tail && ` ${tail}`}`;
    case "FailedValidation":
      return "validation failed.";
    default:
      return `${objectPhase}${tail && `, ${tail}`}`;
  }
}

function volumeWords(detail: MigDetail, took: string): string {
  const { kind, objectPhase = "New", done = 0, total = 0, estimated, message } = detail;
  const about = estimated ? "about " : "";
  const isBackup = kind === "PodVolumeBackup" || kind === "DataUpload";
  const size = `${sizeText(done)} out of ${about}${sizeText(total)} ${isBackup ? "backed up" : "restored"}${took}`;
  switch (objectPhase) {
    case "InProgress":
    case "Completed":
      return size;
    case "Failed":
      return `Failed. ${size}${message ? `: ${message}` : ""}`;
    case "Canceling":
    case "Canceled":
      return objectPhase;
    default:
      return `Waiting for ongoing volume ${isBackup ? "backup(s)" : "restore(s)"} to complete`;
  }
}

/** The one line for the Running condition: items, and volumes with their bytes when there are some. */
export function headlineOf(run: MigDetail, volumes: readonly MigDetail[]): string {
  const verb = run.kind === "Backup" ? "backed up" : "restored";
  const head =
    run.total === undefined ? (run.objectPhase ?? "New") : `${run.done ?? 0}/${run.total} items ${verb}`;
  if (volumes.length === 0) return head;
  const over = volumes.filter(({ state }) => state === "completed").length;
  const sum = (pick: (one: MigDetail) => number) => volumes.reduce((all, one) => all + pick(one), 0);
  const done = sizeText(sum((one) => one.done ?? 0));
  // A total without the volumes that wait would grow with each of them.
  const unmeasured = volumes.filter(
    ({ total, state }) => total === undefined && state !== "completed",
  ).length;
  const about = volumes.some(({ estimated, state }) => estimated && state !== "completed") ? "about " : "";
  const size =
    unmeasured > 0
      ? `${done}, ${unmeasured} not yet measured`
      : `${done} of ${about}${sizeText(sum((one) => one.total ?? one.done ?? 0))}`;
  return `${head}, ${over}/${volumes.length} volumes, ${size}`;
}

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

/** ` (1m5s)`, or nothing while there is no start. */
function durationText({ startedAt, completedAt }: MigDetail, nowMs: number): string {
  const from = parseTimeMs(startedAt);
  if (from === undefined) return "";
  const to = parseTimeMs(completedAt) ?? nowMs;
  return ` (${formatGoDuration(Math.max(0, Math.round((to - from) / 1000)) * 1000)})`;
}
