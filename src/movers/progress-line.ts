import { parseBackupLine as kopiaBackup, parseSize } from "./kopia/parse.ts";
import { count, readObject } from "./numbers.ts";
import { parseBackupLine as resticBackup, parseRestoreLine as resticRestore } from "./restic/parse.ts";

/** What one line of a mover in a pod says, as far as it says it. */
export interface MoverLine {
  readonly direction: "up" | "down";
  /** 0..100 and beyond: movers estimate badly. Absent while they still count. */
  readonly percent?: number;
  readonly doneBytes: number;
  readonly totalBytes?: number;
  /** What went to the store, after compression and without what was there already. */
  readonly sentBytes?: number;
  readonly etaSeconds?: number;
  /** The mover calls it its last line; only its exit tells whether it ended well. */
  readonly final: boolean;
}

/** Reads a progress line of kopia or restic (`--json`) as it stands in a pod's output; undefined for every other line. */
export function readMoverLine(line: string): MoverLine | undefined {
  if (line.startsWith("{")) return resticLine(line);
  return kopiaSnapshotLine(line) ?? kopiaRestoreLine(line);
}

function kopiaSnapshotLine(line: string): MoverLine | undefined {
  const sample = kopiaBackup(line);
  const sentBytes = parseSize(/, uploaded ([\d.]+ \w+)/.exec(line)?.[1] ?? "");
  const tail = /, (?:estimating\.\.\.|estimated \S+ \S+ \(([\d.]+)%\) (\S+) left)\s*$/.exec(line);
  if (!sample || sentBytes === undefined || !tail) return undefined;
  const percent = tail[1] === undefined ? undefined : Number(tail[1]);
  return {
    direction: "up",
    doneBytes: sample.done,
    sentBytes,
    final: line.trimStart().startsWith("*"),
    ...(sample.total !== undefined && { totalBytes: sample.total }),
    ...share(percent, tail[2]),
  };
}

function kopiaRestoreLine(line: string): MoverLine | undefined {
  const ended = /^\s*Restored \d+ files, \d+ directories and \d+ symbolic links \(([^)]+)\)/.exec(line);
  if (ended) {
    const all = parseSize(ended[1] ?? "");
    if (all === undefined) return undefined;
    return { direction: "down", percent: 100, doneBytes: all, totalBytes: all, final: true };
  }
  const running = /^\s*Processed \d+ \(([^)]+)\) of \d+ \(([^)]+)\)(.*)$/.exec(line);
  const doneBytes = parseSize(running?.[1] ?? "");
  const totalBytes = parseSize(running?.[2] ?? "");
  if (doneBytes === undefined || totalBytes === undefined) return undefined;
  const rest = / \(([\d.]+)%\) remaining (\S+?)\.?\s*$/.exec(running?.[3] ?? "");
  return {
    direction: "down",
    doneBytes,
    final: false,
    ...(totalBytes > 0 && { totalBytes }),
    ...share(rest === null ? undefined : Number(rest[1]), rest?.[2]),
  };
}

/** Kopia's "0s left" gets stuck long before the end, and means nothing past its own estimate. */
function share(percent: number | undefined, left: string | undefined): Partial<MoverLine> {
  if (percent === undefined || !Number.isFinite(percent)) return {};
  const seconds = left === undefined ? undefined : secondsOf(left);
  const believed = seconds !== undefined && percent <= 100 && (seconds > 0 || percent >= 99);
  return { percent, ...(believed && { etaSeconds: seconds }) };
}

function secondsOf(text: string): number | undefined {
  const found = /^(?:(\d+)h)?(?:(\d+)m)?(?:(\d+(?:\.\d+)?)s)?$/.exec(text);
  if (!found || text === "") return undefined;
  const [, hours = "0", minutes = "0", seconds = "0"] = found;
  return Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
}

function resticLine(line: string): MoverLine | undefined {
  const restored = resticRestore(line);
  const sample = restored ?? resticBackup(line);
  if (!sample) return undefined;
  const left = count(readObject(line)?.["seconds_remaining"]);
  return {
    direction: restored ? "down" : "up",
    doneBytes: sample.done,
    final: false,
    ...(sample.total !== undefined && {
      totalBytes: sample.total,
      percent: (sample.done / sample.total) * 100,
    }),
    ...(left !== undefined && left > 0 && { etaSeconds: left }),
  };
}
