import type { Sample } from "../progress/index.ts";
import { parseBackupLine as kopiaBackup, parseSize } from "./kopia/parse.ts";
import { count, readObject } from "./numbers.ts";
import { backupSample, restoreSample } from "./restic/parse.ts";

/** What one line of a mover in a pod says: of what goes up into the store, or of what comes down from it. */
export type MoverLine =
  | (Said & {
      readonly direction: "up";
      /** What went to the store, after compression and without what was there already; where the mover tells it. */
      readonly sentBytes?: number;
    })
  | (Said & { readonly direction: "down" });

interface Said {
  /** Bytes that are dealt with. `done` may be past the total: movers estimate badly. */
  readonly progress: Sample;
  readonly etaSeconds?: number;
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
  const { done, total } = sample;
  return { direction: "up", progress: bytes(done, total), sentBytes, ...timeLeft(tail[1], tail[2]) };
}

function kopiaRestoreLine(line: string): MoverLine | undefined {
  const ended = /^\s*Restored \d+ files, \d+ directories and \d+ symbolic links \(([^)]+)\)/.exec(line);
  if (ended) {
    const all = parseSize(ended[1] ?? "");
    return all === undefined ? undefined : { direction: "down", progress: bytes(all, all) };
  }
  const running = /^\s*Processed \d+ \(([^)]+)\) of \d+ \(([^)]+)\)(.*)$/.exec(line);
  const done = parseSize(running?.[1] ?? "");
  const total = parseSize(running?.[2] ?? "");
  if (done === undefined || total === undefined) return undefined;
  const rest = / \(([\d.]+)%\) remaining (\S+?)\.?\s*$/.exec(running?.[3] ?? "");
  return { direction: "down", progress: bytes(done, total), ...timeLeft(rest?.[1], rest?.[2]) };
}

function bytes(done: number, total: number | undefined): Sample {
  return { unit: "bytes", done, ...(total !== undefined && total > 0 && { total }) };
}

/** Kopia's "0s left" gets stuck long before the end, and means nothing past its own estimate. */
function timeLeft(percentText: string | undefined, left: string | undefined): Pick<Said, "etaSeconds"> {
  const percent = Number(percentText ?? Number.NaN);
  const seconds = left === undefined ? undefined : secondsOf(left);
  const isBelieved = seconds !== undefined && percent <= 100 && (seconds > 0 || percent >= 99);
  return isBelieved ? { etaSeconds: seconds } : {};
}

function secondsOf(text: string): number | undefined {
  const found = /^(?:(\d+)h)?(?:(\d+)m)?(?:(\d+(?:\.\d+)?)s)?$/.exec(text);
  if (!found || text === "") return undefined;
  const [, hours = "0", minutes = "0", seconds = "0"] = found;
  return Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
}

function resticLine(line: string): MoverLine | undefined {
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
