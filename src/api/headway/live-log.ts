import { isRecord } from "../../../packages/apimachinery/index.ts";

/** On a DownloadRequest for a log: whoever asks wants the lines of a log that is still written, and has these already. */
export const followAnnotation = "headway.dev/follow";
/** On the same request: the newest lines, as the operator that writes the log has them. */
export const liveLogAnnotation = "headway.dev/log";

/** How much of a log somebody has: lines of one run, since a backup that is begun anew writes a new log. */
export interface LogPosition {
  readonly run: string;
  readonly lines: number;
}

/** Newest lines of a log that is still written. */
export interface LiveLines {
  /** Which run wrote them; empty while none has begun. */
  readonly run: string;
  /** How many lines were before them. */
  readonly from: number;
  /** The lines, each with its line feed. */
  readonly lines: readonly string[];
  /** Epoch ms of writing this. */
  readonly at: number;
}

/** What a follower says it has; one that says nothing readable has nothing. */
export function readPosition(text: string): LogPosition {
  const value = parsed(text);
  const { run, lines } = isRecord(value) ? value : {};
  return typeof run === "string" && isCount(lines) ? { run, lines } : { run: "", lines: 0 };
}

/** The lines of an answer; undefined where there is none that can be read. */
export function readLiveLines(text: string | undefined): LiveLines | undefined {
  const value = text === undefined ? undefined : parsed(text);
  if (!isRecord(value)) return undefined;
  const { run, from, lines, at } = value;
  if (typeof run !== "string" || !isCount(from) || !isCount(at) || !Array.isArray(lines)) return undefined;
  if (!lines.every((line) => typeof line === "string")) return undefined;
  return { run, from, lines, at };
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // written by somebody else
  }
}
