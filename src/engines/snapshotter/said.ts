import type { PluginProgress } from "../../plugins/index.ts";
import type { Sample } from "../../progress/index.ts";

/** Numbers that a plugin may say, and nonsense that it may say instead. */
export interface SaidBytes {
  readonly totalBytes?: unknown;
  readonly bytesDone?: unknown;
}

/** What is made of what a plugin said. */
export interface Judged {
  /** Absent when nothing of it can be believed. */
  readonly sample?: Sample;
  /** What was wrong with it, for a person. */
  readonly fault?: string;
}

/** Takes what a plugin says for numbers, or says what is wrong with it; `before` is what it said last. */
export function judge(said: SaidBytes, before: Sample | undefined): Judged {
  const done = bytes(said.bytesDone);
  const total = bytes(said.totalBytes);
  const fault = faultOf(said, done, total, before);
  if (fault !== undefined) return { fault };
  if (done === undefined && !total) return {};
  return { sample: { unit: "bytes", done: done ?? before?.done ?? 0, ...(total && { total }) } };
}

/** Whether a plugin's answer has the form of one. */
export function isProgress(value: unknown): value is PluginProgress {
  if (typeof value !== "object" || value === null || !("phase" in value)) return false;
  return value.phase === "InProgress" || value.phase === "Completed" || value.phase === "Failed";
}

function faultOf(
  said: SaidBytes,
  done: number | undefined,
  total: number | undefined,
  before: Sample | undefined,
): string | undefined {
  if (said.bytesDone !== undefined && done === undefined)
    return `it says ${quoted(said.bytesDone)} bytes are done, which is no number of bytes`;
  if (said.totalBytes !== undefined && total === undefined)
    return `it says there are ${quoted(said.totalBytes)} bytes, which is no number of bytes`;
  if (done !== undefined && total !== undefined && total > 0 && done > total)
    return `it says ${done} of ${total} bytes are done`;
  if (done !== undefined && before !== undefined && done < before.done)
    return `it went back from ${before.done} bytes to ${done}`;
  return undefined;
}

function bytes(value: unknown): number | undefined {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

function quoted(value: unknown): string {
  return (typeof value === "number" ? String(value) : (JSON.stringify(value) ?? typeof value)).slice(0, 40);
}
