import { isTerminal, type Operation } from "./operation.ts";
import type { StallCause } from "./stall.ts";
import { stalledPart } from "./stalled-part.ts";
import { waitOf } from "./wait.ts";

const agentPods = "kubectl get pods -A -o wide | grep -E 'node-agent|headway-agent'";
const serverPods = "kubectl get pods -A | grep -E 'headway|velero|kanister|migration'";

/** What helps against each cause of standing still. */
const stallAdvice: Readonly<Record<StallCause, string>> = {
  "api-unreachable": "Check that the API server answers: kubectl get --raw /readyz",
  "operator-silent": `Check that the operator is running, and read its log (${serverPods})`,
  "agent-missing": `Start the node agent on that node (${agentPods})`,
  "image-pull": "Find the image that cannot be pulled in the pod's events: kubectl describe pod",
  "snapshot-not-ready":
    "Read the snapshot's status and events: kubectl describe volumesnapshot,volumesnapshotcontent",
  "volume-not-bound": "Read the claim's events: kubectl describe pvc",
  "snapshot-failing":
    "Read what the driver says: kubectl describe volumesnapshot; it is tried again until csiSnapshotTimeout",
  "driver-silent":
    "Check that the snapshot controller and the driver's csi-snapshotter run: kubectl get pods -A | grep -E 'snapshot|csi'",
  "node-not-ready": "Read the node's conditions: kubectl describe node",
  "pod-pending": "Read the pod's events: kubectl describe pod",
  "mover-gone": "Read the node agent's log; the copy resumes or fails by itself",
  "store-unreachable": "Check the storage location: headway location get",
  "plugin-silent":
    "Read the operator's log for what the plugin says; the item fails by itself when the plugin's time is over",
  "lock-held": "Wait until the copy that holds the repository's lock ends",
  "hook-waiting": "Check what the hook runs in the pod; it fails by itself at its timeout",
  "queue-waiting": "Wait: it starts when the work ahead of it has ended",
  "object-waiting": "Check the object that it waits for",
  throttled: "Wait: the server is throttling, and the work continues more slowly",
  "mover-silent": "Read the node agent's log on that node",
  "no-movement": "Read the log and the events; it may still move",
};

/** What helps when it waits, by the reason for a machine; most waits need no help. */
const waitAdvice: Readonly<Record<string, string>> = {
  server: `Check that its operator is running: ${serverPods}`,
  agent: `Check that a node agent is running on that node (${agentPods})`,
  plan: "Read the conditions of its plan: kubectl describe migplan",
};

/** What a person can do about a part that stands still. */
export function adviceFor(cause: StallCause): string {
  return stallAdvice[cause];
}

/** What a person can do about an operation now, often a command; undefined when there is nothing to do. */
export function adviceOf(operation: Operation): string | undefined {
  if (isTerminal(operation.state)) return undefined;
  const cause = stalledPart(operation)?.stall?.cause;
  if (cause) return adviceFor(cause);
  return waitAdvice[waitOf(operation)?.reason ?? ""];
}
