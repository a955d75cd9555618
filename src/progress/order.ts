import { isTerminal, type Operation, type State } from "./operation.ts";
import { isStalled } from "./stalled-part.ts";

/** Why an operation stands where it stands in a list. */
export type Group = "attention" | "running" | "waiting" | "ended";

/** Operations of one group, in order. */
export interface Arranged {
  readonly group: Group;
  readonly operations: readonly Operation[];
}

const groups: readonly Group[] = ["attention", "running", "waiting", "ended"];
/** A failure is news for a day; then it is history like the rest. */
const newsMs = 24 * 3_600_000;
const bad: ReadonlySet<State> = new Set(["failed", "partially-failed"]);

/** Where an operation belongs in a list. */
export function groupOf(operation: Operation, nowMs: number): Group {
  const { state } = operation;
  if (isTerminal(state)) {
    return bad.has(state) && nowMs - (operation.finishedAt ?? 0) < newsMs ? "attention" : "ended";
  }
  if (isStalled(operation)) return "attention";
  return state === "pending" ? "waiting" : "running";
}

/** Problems first, then what runs, what waits, what ended; inside a group by start or end, so that bars that move keep their place. */
export function arrange(operations: readonly Operation[], nowMs: number): readonly Arranged[] {
  const byGroup = new Map<Group, Operation[]>(groups.map((group) => [group, []]));
  for (const operation of operations) byGroup.get(groupOf(operation, nowMs))?.push(operation);
  return groups.flatMap((group) => {
    const members = byGroup.get(group) ?? [];
    members.sort((a, b) => rankOf(a) - rankOf(b) || timeOf(b) - timeOf(a) || (a.id < b.id ? -1 : 1));
    return members.length > 0 ? [{ group, operations: members }] : [];
  });
}

/** The same order without the groups. */
export function inOrder(operations: readonly Operation[], nowMs: number): readonly Operation[] {
  return arrange(operations, nowMs).flatMap((each) => each.operations);
}

function rankOf(operation: Operation): number {
  return isTerminal(operation.state) ? 1 : 0;
}

function timeOf(operation: Operation): number {
  return operation.finishedAt ?? operation.startedAt ?? 0;
}
