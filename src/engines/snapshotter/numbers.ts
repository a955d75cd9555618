import type { PluginProgress } from "./contract.ts";

/** Bytes as the status of a VolumePluginBackup or VolumePluginRestore shows them; an absent number is not known. */
export interface ShownBytes {
  readonly totalBytes?: number;
  readonly bytesDone?: number;
  /** 0 to 99 while bytes move. */
  readonly percent?: number;
}

/** Numbers that a plugin may say, and nonsense that it may say instead. */
export interface SaidBytes {
  readonly totalBytes?: unknown;
  readonly bytesDone?: unknown;
}

/** What became of what a plugin said. */
export interface Folded {
  readonly shown: ShownBytes;
  /** What was wrong with it, for a person. */
  readonly fault?: string;
}

/**
 * Folds what a plugin says into what was shown before: no number falls, and while bytes move something is left to do.
 * Whatever is not a whole number of bytes is not shown at all.
 */
export function foldBytes(before: ShownBytes, said: SaidBytes): Folded {
  const done = bytes(said.bytesDone);
  const total = bytes(said.totalBytes);
  const fault = faultOf(before, said, done, total);
  const most = Math.max(before.bytesDone ?? 0, done ?? 0);
  const known = Math.max(before.totalBytes ?? 0, total ?? 0);
  const hasSaid = before.bytesDone !== undefined || done !== undefined;
  if (known === 0) {
    return { shown: hasSaid ? { bytesDone: most } : {}, ...(fault && { fault }) };
  }
  // Only the end may show them equal.
  const whole = Math.max(known, (before.bytesDone ?? 0) + 1);
  const bytesDone = Math.min(most, whole - 1);
  const percent = Math.max(before.percent ?? 0, Math.floor((bytesDone / whole) * 100));
  const shown = { totalBytes: whole, ...(hasSaid && { bytesDone }), percent: Math.min(percent, 99) };
  return { shown, ...(fault && { fault }) };
}

/** What is shown of bytes that have all moved. */
export function finalBytes(before: ShownBytes): ShownBytes {
  const total = before.totalBytes ?? before.bytesDone;
  if (total === undefined) return {};
  return { totalBytes: total, bytesDone: total, percent: 100 };
}

/** Whether a plugin's answer has the form of one. */
export function isProgress(value: unknown): value is PluginProgress {
  if (typeof value !== "object" || value === null || !("phase" in value)) return false;
  return value.phase === "InProgress" || value.phase === "Completed" || value.phase === "Failed";
}

function faultOf(
  before: ShownBytes,
  said: SaidBytes,
  done: number | undefined,
  total: number | undefined,
): string | undefined {
  if (said.bytesDone !== undefined && done === undefined)
    return `it says ${words(said.bytesDone)} bytes are done, which is no number of bytes`;
  if (said.totalBytes !== undefined && total === undefined)
    return `it says there are ${words(said.totalBytes)} bytes, which is no number of bytes`;
  if (done !== undefined && total !== undefined && total > 0 && done > total)
    return `it says ${done} of ${total} bytes are done`;
  if (done !== undefined && done < (before.bytesDone ?? 0) && (before.totalBytes ?? 0) > done + 1)
    return `it went back from ${before.bytesDone} bytes to ${done}`;
  return undefined;
}

function bytes(value: unknown): number | undefined {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

function words(value: unknown): string {
  return (typeof value === "number" ? String(value) : (JSON.stringify(value) ?? typeof value)).slice(0, 40);
}
