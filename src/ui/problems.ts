import {
  formatProgress,
  formatStall,
  isTerminal,
  type Operation,
  type StallCause,
} from "../progress/index.ts";
import { stepsOf, titleOf } from "./pipeline.ts";
import { counted, numbersOf } from "./words.ts";

/** Something a person should know first. */
export interface Problem {
  readonly key: string;
  readonly level: "danger" | "warning" | "info";
  readonly title: string;
  /** What was said about it. */
  readonly text?: string;
  /** What to do about it. */
  readonly advice?: string;
}

/** What helps against each cause of standing still. */
const advice: Readonly<Record<StallCause, string>> = {
  "api-unreachable": "Check that the API server answers: kubectl get --raw /readyz",
  "agent-missing":
    "Start the node agent on that node: kubectl get pods -A -o wide | grep -E 'node-agent|headway-agent'",
  "image-pull": "Look at the pod's events for the image that cannot be pulled: kubectl describe pod",
  "volume-not-bound": "Look at the claim's events: kubectl describe pvc",
  "node-not-ready": "Look at the node: kubectl describe node",
  "pod-pending": "Look at the pod's events: kubectl describe pod",
  "mover-gone": "The copy is taken up again or fails by itself; the agent's log tells why it ended",
  "store-unreachable": "Check the storage location: headway location get",
  "lock-held": "Another copy holds the repository's lock; it goes on when that one ends",
  "hook-waiting": "Look at what the hook runs in the pod; it fails by itself at its timeout",
  "queue-waiting": "It starts when what is ahead of it has ended",
  "object-waiting": "Look at the object that it waits for",
  throttled: "The server asks for patience; it goes on more slowly",
  "mover-silent": "Look at the agent's log on that node",
  "no-movement": "Give it a little; the log and the events below tell more",
};

/** Failures first, then what stands still, then warnings. */
export function problemsOf(operation: Operation, nowMs: number): readonly Problem[] {
  return [...failures(operation), ...stalls(operation, nowMs), ...remarks(operation)];
}

function failures(operation: Operation): readonly Problem[] {
  if (operation.state !== "failed" && operation.state !== "partially-failed") return [];
  const where = stepsOf(operation).find(({ state }) => state === "failed");
  const text = operation.message ?? where?.message;
  return [
    {
      key: "failed",
      level: operation.state === "failed" ? "danger" : "warning",
      title: `${operation.title} ${operation.state === "failed" ? "failed" : "failed in part"}${where ? `: ${titleOf(where)}` : ""}`,
      ...(text !== undefined && { text }),
      ...(operation.errors > 0 && text === undefined && { text: counted(operation.errors, "error") }),
    },
  ];
}

function stalls(operation: Operation, nowMs: number, path = ""): readonly Problem[] {
  if (isTerminal(operation.state)) return [];
  const deeper = operation.children.flatMap((child) => stalls(child, nowMs, `${path}/${operation.id}`));
  if (deeper.length > 0 || !operation.stall) return deeper;
  const { stall } = operation;
  return [
    {
      key: `${path}/${operation.id}`,
      level: "warning",
      title: `${operation.title}: ${formatStall(stall, nowMs)}`,
      advice: advice[stall.cause],
    },
  ];
}

function remarks(operation: Operation): readonly Problem[] {
  const found: Problem[] = [];
  const { scopeGrew, progress, warnings, state } = operation;
  if (scopeGrew?.held && progress && !isTerminal(state)) {
    found.push({
      key: "grew",
      level: "info",
      title: "There is more to do than was counted at first",
      text: `The bar holds until the work has caught up: ${numbersOf(operation) || formatProgress(progress)}.`,
    });
  }
  // Those of a backup or a restore that has ended are listed one by one.
  const isListed = isTerminal(state) && (operation.ref.kind === "Backup" || operation.ref.kind === "Restore");
  if (warnings > 0 && !isListed) {
    found.push({
      key: "warnings",
      level: "warning",
      title: counted(warnings, "warning"),
    });
  }
  return found;
}
