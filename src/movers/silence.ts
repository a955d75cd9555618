import type { StallCause } from "../progress/index.ts";

/** What is known of a mover that runs. */
export interface Signs {
  /** Epoch ms of its start. */
  readonly startedAt: number;
  /** Epoch ms of its newest line. */
  readonly heardAt?: number | undefined;
  /** The latest silences between its lines, in ms. */
  readonly gaps: readonly number[];
  /** Epoch ms at which its process was last at work; absent where the system does not tell. */
  readonly busyAt?: number | undefined;
  /** Since when its process is stopped. */
  readonly stoppedAt?: number | undefined;
  /** It has a connection to somewhere. */
  readonly isConnected: boolean;
}

/** A mover that stands still. */
interface Silence {
  readonly cause: Extract<StallCause, "mover-silent" | "store-unreachable">;
  /** Epoch ms. */
  readonly since: number;
}

/** A process that does nothing for so long stands still, whatever it prints. */
const idleMs = 20_000;
/** A stopped process goes on within this time, or does not. */
const stoppedMs = 2_000;
/** Where only lines tell: the least silence, how many usual ones make one, and how long the first word may take. */
const leastMs = 20_000;
const timesUsual = 8;
const firstWordMs = 60_000;

/**
 * Why a mover stands still, and since when; undefined while it works. A slow link is no reason: what the process does is a
 * sign of life, and where that is not known the rhythm of its own lines is the measure.
 */
export function silenceOf(signs: Signs, nowMs: number): Silence | undefined {
  const { startedAt, heardAt, gaps, busyAt, stoppedAt, isConnected } = signs;
  if (stoppedAt !== undefined && nowMs - stoppedAt >= stoppedMs)
    return { cause: "mover-silent", since: stoppedAt };
  if (busyAt !== undefined) {
    if (nowMs - busyAt < idleMs) return undefined;
    // What it waits for is at the other end of its connection.
    return { cause: isConnected ? "store-unreachable" : "mover-silent", since: busyAt };
  }
  const since = heardAt ?? startedAt;
  const usual = Math.max(0, ...gaps);
  const limitMs = heardAt === undefined ? firstWordMs : Math.max(leastMs, timesUsual * usual);
  return nowMs - since >= limitMs ? { cause: "mover-silent", since } : undefined;
}
