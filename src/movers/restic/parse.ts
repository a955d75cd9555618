import type { Sample } from "../../progress/index.ts";
import type { MoverLine } from "../definition.ts";
import { asObject, count, readObject, shown } from "../numbers.ts";

/** One line of `restic --json`, parsed; undefined when the line was none. */
type Message = ReturnType<typeof readObject>;

/**
 * The progress that a message of `restic backup --json` carries.
 *
 * Without bytes_done restic is still scanning: its total is not one yet.
 */
export function backupSample(message: Message): Sample | undefined {
  return message?.["message_type"] === "status"
    ? sample(message["bytes_done"], message["total_bytes"])
    : undefined;
}

/** The progress that a message of `restic restore --json` (0.17 and newer) carries. */
export function restoreSample(message: Message): Sample | undefined {
  if (message?.["message_type"] !== "status") return undefined;
  // What lies there already and is right (a restore that runs again) is done as well.
  const skipped = count(message["bytes_skipped"]) ?? 0;
  const done = count(message["bytes_restored"]);
  if (done === undefined && skipped === 0) return undefined;
  return sample((done ?? 0) + skipped, message["total_bytes"]);
}

/** Reads one line of progress as it stands in a pod's output. */
export function readLine(line: string): MoverLine | undefined {
  const message = readObject(line);
  const restored = restoreSample(message);
  const progress = restored ?? backupSample(message);
  if (!progress) return undefined;
  const left = count(message?.["seconds_remaining"]);
  return {
    direction: restored ? "down" : "up",
    progress,
    ...(left !== undefined && left > 0 && { etaSeconds: left }),
  };
}

/** The last word of a backup. */
export interface Summary {
  readonly snapshotId?: string;
  readonly bytes: number;
  readonly addedBytes?: number;
  /** What of it is in the store, compressed; absent before 0.17. */
  readonly storedBytes?: number;
  readonly files?: number;
}

/** The summary of a backup; its line need not be the last one. */
export function backupSummary(message: Message): Summary | undefined {
  if (message?.["message_type"] !== "summary") return undefined;
  const bytes = count(message["total_bytes_processed"]);
  const snapshotId = message["snapshot_id"];
  const addedBytes = count(message["data_added"]);
  const storedBytes = count(message["data_added_packed"]) ?? addedBytes;
  const files = count(message["total_files_processed"]);
  if (bytes === undefined) return undefined;
  return {
    bytes,
    ...(typeof snapshotId === "string" && /^[0-9a-f]{8,64}$/.test(snapshotId) && { snapshotId }),
    ...(addedBytes !== undefined && { addedBytes }),
    ...(storedBytes !== undefined && { storedBytes }),
    ...(files !== undefined && { files }),
  };
}

/** The summary of a restore (0.17 and newer). */
export function restoreSummary(message: Message): { readonly bytes: number } | undefined {
  if (message?.["message_type"] !== "summary") return undefined;
  const bytes = count(message["total_bytes"]) ?? 0; // restic omits zeros
  return { bytes };
}

/** Reads a line about one file that could not be read; restic 0.14 and 0.18 shape it differently. */
export function parseFileError(line: string): string | undefined {
  const message = readObject(line);
  if (message?.["message_type"] !== "error") return undefined;
  const error = asObject(message["error"]);
  const words = error?.["message"];
  if (typeof words === "string") return shown(words);
  const item = typeof message["item"] === "string" ? message["item"] : "a file";
  const op = typeof error?.["Op"] === "string" ? error["Op"] : "read";
  return shown(`${item}: ${op} failed${error?.["Err"] === 13 ? ": permission denied" : ""}`);
}

/** Reads restic's last word when it fails (0.17 and newer). */
export function parseExitError(line: string): string | undefined {
  const message = readObject(line);
  const words = message?.["message_type"] === "exit_error" ? message["message"] : undefined;
  return typeof words === "string" ? words : undefined;
}

/** Reads `restic stats --json`; restic 0.14 says first where it got the password from, and counts zero snapshots as success. */
export function parseStats(
  text: string,
): { readonly bytes: number; readonly files: number; readonly snapshots: number } | undefined {
  const found = text
    .split("\n")
    .map(readObject)
    .findLast((message) => message !== undefined);
  const bytes = count(found?.["total_size"]);
  if (bytes === undefined) return undefined;
  const files = count(found?.["total_file_count"] ?? found?.["total_blob_count"]) ?? 0;
  return { bytes, files, snapshots: count(found?.["snapshots_count"]) ?? 1 };
}

/** Reads `restic snapshots --json`: the id of the last one, which is the newest. */
export function parseNewest(text: string): string | undefined {
  const [line = ""] = text.split("\n").filter((one) => one.startsWith("["));
  try {
    const found: unknown = JSON.parse(line);
    const id = Array.isArray(found) ? asObject(found.at(-1))?.["id"] : undefined;
    return typeof id === "string" ? id : undefined;
  } catch {
    return undefined; // no list
  }
}

/** Reads what `restic prune` says that it frees, in its own words. */
export function parseFreed(text: string): string {
  const said = [...text.matchAll(/(?:\bfrees |^total prune: .*blobs \/ )(.+)$/gm)].at(-1)?.[1];
  return (said ?? "").trim();
}

/** Reads `restic version`. */
export function parseVersion(text: string): string | undefined {
  return /^restic (\d+\.\d+(?:\.\d+)?)/m.exec(text)?.[1];
}

function sample(doneValue: unknown, totalValue: unknown): Sample | undefined {
  const done = count(doneValue);
  const total = count(totalValue);
  if (done === undefined) return undefined;
  return { unit: "bytes", done, ...(total !== undefined && total > 0 && { total }) };
}
