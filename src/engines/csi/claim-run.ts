import type { DataUpload } from "../../api/index.ts";
import { isVolumeEnded } from "../../kinds/index.ts";
import type { ClaimFacts, SnapshotContent, VolumeSnapshot } from "./objects.ts";

/** Where the protection of a claim stands. */
export type Stage = "queued" | "taking" | "readying" | "moving" | "done" | "failed";

/** What is known of a claim whose snapshot was begun; a few kilobytes each. */
export interface ClaimRun {
  readonly claim: ClaimFacts;
  readonly volume: string;
  readonly className: string;
  readonly snapshotName: string;
  /** Whether the data is copied out of the snapshot. */
  readonly moves: boolean;
  readonly stage: Stage;
  /** Monotonic: when the stage began. */
  readonly sinceMs: number;
  /** Monotonic: when the first stage began. */
  readonly begunMs: number;
  readonly snapshot?: VolumeSnapshot | undefined;
  readonly content?: SnapshotContent | undefined;
  readonly upload?: DataUpload | undefined;
  /** What the driver says is wrong now. */
  readonly trouble?: string | undefined;
  /** Monotonic: since when. */
  readonly troubleMs?: number | undefined;
  /** How often in a row the object of this stage was not there. */
  readonly missed: number;
  readonly error?: string | undefined;
}

/** What was seen of its objects; absent means that it is not there. */
export interface Seen {
  readonly snapshot?: VolumeSnapshot | undefined;
  readonly content?: SnapshotContent | undefined;
  readonly upload?: DataUpload | undefined;
}

/** How long a claim may take. */
export interface Limits {
  /** Until the driver has taken the snapshot, and for how long it may fail (`csiSnapshotTimeout`). */
  readonly snapshotMs: number;
  /** For all that follows (`itemOperationTimeout`). */
  readonly operationMs: number;
}

/** An object may be missing once: it was listed before it was made. */
const missesMax = 3;

/** What is now known of a claim, from what was seen: pure, so that every lie of a driver is a table row. */
export function advance(run: ClaimRun, seen: Seen, limits: Limits, nowMs: number): ClaimRun {
  switch (run.stage) {
    case "taking":
      return taking(run, seen, limits, nowMs);
    case "readying":
      return readying(run, seen, limits, nowMs);
    case "moving":
      return moving(run, seen, limits, nowMs);
    case "queued":
    case "done":
    case "failed":
      return run;
  }
}

/** A claim that enters a stage. */
export function entered(run: ClaimRun, stage: Stage, nowMs: number): ClaimRun {
  return { ...run, stage, sinceMs: nowMs, trouble: undefined, troubleMs: undefined, missed: 0 };
}

/** A claim that has failed. */
export function failedRun(run: ClaimRun, error: string, nowMs: number): ClaimRun {
  return { ...entered(run, "failed", nowMs), error };
}

function taking(run: ClaimRun, seen: Seen, limits: Limits, nowMs: number): ClaimRun {
  const { snapshot, content } = seen;
  if (!snapshot) return missing(run, `VolumeSnapshot "${run.snapshotName}"`, nowMs);
  const now = troubled({ ...run, snapshot, content, missed: 0 }, nowMs);
  // A snapshot without a handle is none, whatever else its driver says.
  if (content?.status?.snapshotHandle) return entered(now, "readying", nowMs);
  if (nowMs - run.sinceMs < limits.snapshotMs) return now;
  const why = now.trouble ?? "the CSI driver did not answer";
  return failedRun(now, `no snapshot within ${seconds(limits.snapshotMs)}: ${why}`, nowMs);
}

function readying(run: ClaimRun, seen: Seen, limits: Limits, nowMs: number): ClaimRun {
  const { snapshot, content } = seen;
  if (!snapshot) return missing(run, `VolumeSnapshot "${run.snapshotName}"`, nowMs);
  // A content that vanishes keeps what is known of it, until it is missed for good.
  if (!content) return missing({ ...run, snapshot }, "its VolumeSnapshotContent", nowMs);
  const now = troubled({ ...run, snapshot, content, missed: 0 }, nowMs);
  if (content.status?.snapshotHandle && content.status.readyToUse === true)
    return entered(now, "done", nowMs);
  // The sidecar tries again by itself: one error is not the end, errors all the time are.
  if (now.troubleMs !== undefined && nowMs - now.troubleMs >= limits.snapshotMs)
    return failedRun(now, `the snapshot does not become ready: ${now.trouble ?? ""}`, nowMs);
  if (nowMs - run.begunMs < limits.operationMs) return now;
  return failedRun(now, `the snapshot was not ready within ${seconds(limits.operationMs)}`, nowMs);
}

function moving(run: ClaimRun, { upload }: Seen, limits: Limits, nowMs: number): ClaimRun {
  if (!upload) return missing(run, "its DataUpload", nowMs);
  const now = { ...run, upload, missed: 0 };
  if (isVolumeEnded(upload.status)) {
    const { phase = "", message = "" } = upload.status ?? {};
    if (phase === "Completed") return entered(now, "done", nowMs);
    return failedRun(now, message || `the DataUpload ended as ${phase}`, nowMs);
  }
  if (nowMs - run.begunMs < limits.operationMs) return now;
  return failedRun(now, `the data was not moved within ${seconds(limits.operationMs)}`, nowMs);
}

function missing(run: ClaimRun, what: string, nowMs: number): ClaimRun {
  const missed = run.missed + 1;
  if (missed < missesMax) return { ...run, missed };
  return failedRun(run, `${what} was deleted by somebody else`, nowMs);
}

function troubled(run: ClaimRun, nowMs: number): ClaimRun {
  const { snapshot, content } = run;
  const said = content?.status?.error?.message ?? snapshot?.status?.error?.message;
  const trouble = said || undefined;
  return { ...run, trouble, troubleMs: trouble === undefined ? undefined : (run.troubleMs ?? nowMs) };
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1000)} s`;
}
