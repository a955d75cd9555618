import { formatDuration, formatMoment } from "./format.ts";
import type { Stall, StallCause } from "./stall.ts";

const causeWords: Record<StallCause, string> = {
  "api-unreachable": "the API server cannot be reached",
  "operator-silent": "the operator that does the work is silent",
  "agent-missing": "no node agent runs on the node",
  "image-pull": "an image cannot be pulled",
  "snapshot-not-ready": "a volume snapshot does not become ready",
  "volume-not-bound": "a volume claim is not bound",
  "snapshot-failing": "the CSI driver fails to take the snapshot",
  "driver-silent": "the CSI driver does not answer",
  "node-not-ready": "the node is not ready",
  "pod-pending": "the pod is pending",
  "mover-gone": "the data mover is gone",
  "store-unreachable": "the object store cannot be reached",
  "plugin-silent": "a plugin does not answer",
  "lock-held": "the repository is locked",
  "hook-waiting": "a hook has not returned",
  "queue-waiting": "it waits in a queue",
  "object-waiting": "it waits for another object",
  throttled: "the server is throttling",
  "mover-silent": "the data mover says nothing",
  "no-movement": "the numbers do not move",
};

/** `stalled for 2m 10s: no node agent runs on the node`, or without a clock since when. */
export function formatStall({ since, cause }: Stall, nowMs?: number): string {
  const time =
    nowMs === undefined ? `since ${formatMoment(since)}` : `for ${formatDuration((nowMs - since) / 1000)}`;
  return `stalled ${time}: ${causeWords[cause]}`;
}
