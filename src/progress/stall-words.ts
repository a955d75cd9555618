import { formatDuration } from "./format.ts";
import type { Stall, StallCause } from "./stall.ts";

const causeWords: Record<StallCause, string> = {
  "api-unreachable": "the API server cannot be reached",
  "agent-missing": "no node agent runs on the node",
  "image-pull": "an image cannot be pulled",
  "volume-not-bound": "a volume claim is not bound",
  "node-not-ready": "the node is not ready",
  "pod-pending": "the pod is pending",
  "mover-gone": "the data mover is gone",
  "store-unreachable": "the object store cannot be reached",
  "lock-held": "the repository is locked",
  "hook-waiting": "a hook has not returned",
  "queue-waiting": "it waits in a queue",
  "object-waiting": "it waits for another object",
  throttled: "the server throttles",
  "mover-silent": "the data mover says nothing",
  "no-movement": "the numbers do not move",
};

/** `stalled for 2m 10s: no node agent runs on the node`. */
export function formatStall(stall: Stall, nowMs: number): string {
  return `stalled for ${formatDuration((nowMs - stall.since) / 1000)}: ${causeWords[stall.cause]}`;
}
