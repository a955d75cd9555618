import { parseTimeMs } from "../conventions/time.ts";

/** The states of an ActionSet and of its phases. */
export type ActionState = "pending" | "running" | "failed" | "complete";

/** Reads a state as it is written today or was in the first design; undefined for anything else. */
export function readActionState(text: string | null | undefined): ActionState | undefined {
  switch (text) {
    case "pending":
    case "running":
    case "failed":
    case "complete":
      return text;
    case "completed":
      return "complete";
    default:
      return undefined;
  }
}

/** Numbers of a phase or of a whole ActionSet, as far as they are known. */
export interface ActionNumbers {
  /** 0..1 */
  readonly fraction?: number;
  readonly uploadedBytes?: number;
  readonly uploadTotalBytes?: number;
  readonly downloadedBytes?: number;
  readonly downloadTotalBytes?: number;
  readonly etaSeconds?: number;
  /** Epoch ms */
  readonly changedAt?: number;
}

/** Reads a `progress` object of any release: numbers or texts, old and new names, either spelling of the estimate. */
export function readActionProgress(progress: object | null | undefined): ActionNumbers {
  const said = (progress ?? {}) as Readonly<Record<string, unknown>>;
  const first = (read: (value: unknown) => number | undefined, ...names: readonly string[]) =>
    names.map((name) => read(said[name])).find((value) => value !== undefined);
  return known({
    fraction: first(readPercent, "progressPercent", "percentCompleted"),
    uploadedBytes: first(readCount, "sizeUploadedB", "sizeUploaded"),
    uploadTotalBytes: first(readCount, "estimatedUploadSizeB", "estimatedUploadSize"),
    downloadedBytes: first(readCount, "sizeDownloadedB", "sizeDownloaded"),
    downloadTotalBytes: first(readCount, "estimatedDownloadSizeB", "estimatedDownloadSize"),
    etaSeconds: first(readCount, "estimatedTimeSeconds", "estinatedTimeSeconds"),
    changedAt:
      typeof said["lastTransitionTime"] === "string" ? parseTimeMs(said["lastTransitionTime"]) : undefined,
  });
}

/** A percent as a number or a text, with or without a sign, as a share of 0..1. */
export function readPercent(value: unknown): number | undefined {
  const percent = readCount(typeof value === "string" ? value.trim().replace(/%$/, "") : value);
  return percent === undefined || percent > 100 ? undefined : percent / 100;
}

/** A number that is not negative, written as a number or a text. */
function readCount(value: unknown): number | undefined {
  if (typeof value === "string" && !/^\s*\d+(\.\d+)?\s*$/.test(value)) return undefined;
  const count = typeof value === "string" ? Number(value) : value;
  return typeof count === "number" && Number.isFinite(count) && count >= 0 ? count : undefined;
}

/** Leaves out what is not known. */
function known(numbers: { readonly [K in keyof ActionNumbers]: number | undefined }): ActionNumbers {
  return Object.fromEntries(Object.entries(numbers).filter(([, value]) => value !== undefined));
}
