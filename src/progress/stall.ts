/** Why work stands still; the first in this order for which there is evidence is told. */
export const stallCauses = [
  "api-unreachable",
  "agent-missing",
  "image-pull",
  "volume-not-bound",
  "node-not-ready",
  "pod-pending",
  "mover-gone",
  "store-unreachable",
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
