import type { Signals } from "./operation.ts";
import { quantile } from "./run.ts";

/** Why work stands still; the first in this order for which there is evidence is told. */
export const stallCauses = [
  "api-unreachable",
  "operator-silent",
  "agent-missing",
  "image-pull",
  "snapshot-not-ready",
  "volume-not-bound",
  "snapshot-failing",
  "driver-silent",
  "node-not-ready",
  "pod-pending",
  "mover-gone",
  "store-unreachable",
  "plugin-silent",
  "lock-held",
  "hook-waiting",
  "queue-waiting",
  "object-waiting",
  "throttled",
  "mover-silent",
  "no-movement",
] as const;

/** One of the closed list of causes. */
export type StallCause = (typeof stallCauses)[number];

/** Work that stands still since an epoch ms, and why. */
export interface Stall {
  readonly since: number;
  readonly cause: StallCause;
}

/** What is known about the silence of an operation. */
export interface Silence {
  /** Epoch ms of the last movement, or of the start. */
  readonly movedAt: number;
  /** The latest silences between movements, in ms. */
  readonly gaps: readonly number[];
  /** At least so long a silence is usual here, whatever the rhythm says. */
  readonly patienceMs?: number;
  readonly signals: Signals;
  /** Epoch ms at which other work beside it last moved. */
  readonly othersMovedAt?: number;
  /** It has begun, and says that it works. */
  readonly isWorking: boolean;
}

/** These mean that something is broken or missing; a look around is enough, no rhythm has to be learned. */
const broken: ReadonlySet<StallCause> = new Set([
  ...stallCauses.slice(0, stallCauses.indexOf("lock-held")),
  "mover-silent",
]);
const leastLimitMs = 20_000;
const firstLimitMs = 120_000;
const enoughGaps = 5;
/** How many usual silences make a suspicion, and how many suspicions a stall when nothing else speaks. */
const timesUsual = 8;
const timesAlone = 4;

/** How long this work may be silent: learned from its own rhythm, with a first guess until there is one. */
export function silenceLimitMs(gaps: readonly number[]): number {
  if (gaps.length < enoughGaps) return firstLimitMs;
  return Math.max(leastLimitMs, timesUsual * quantile(gaps, 0.95));
}

/** Whether the work stands still, and why. Silence alone must last four times as long as silence with a second signal. */
export function stall(silence: Silence, nowMs: number): Stall | undefined {
  const { signals, gaps } = silence;
  const since = Math.max(silence.movedAt, signals.busyAt ?? 0);
  const quietMs = nowMs - since;
  const limitMs = Math.max(silenceLimitMs(gaps), silence.patienceMs ?? 0);
  const cause = evidenceOf(signals);
  if (cause) {
    return quietMs >= (broken.has(cause) ? leastLimitMs : limitMs) ? { since, cause } : undefined;
  }
  if (!silence.isWorking || quietMs < limitMs) return undefined;
  const isTalking = signals.heartbeatAt !== undefined && nowMs - signals.heartbeatAt < limitMs;
  const isMute = signals.heartbeatAt !== undefined && !isTalking;
  const othersMove = silence.othersMovedAt !== undefined && nowMs - silence.othersMovedAt < limitMs;
  if (!isMute && (!othersMove || isTalking || signals.alive === true) && quietMs < timesAlone * limitMs) {
    return undefined;
  }
  return { since, cause: isTalking || signals.alive === true ? "no-movement" : "mover-silent" };
}

/** The cause the caller holds evidence for; of several the one that stands first, for the others follow from it. */
function evidenceOf(signals: Signals): StallCause | undefined {
  const causes = signals.alive === false ? [...(signals.causes ?? []), "mover-gone"] : (signals.causes ?? []);
  return stallCauses.find((cause) => causes.includes(cause));
}
