import { isTerminal, type Operation, type State } from "../progress/index.ts";

/** Why an operation stands where it stands in the list. */
export type Group = "attention" | "running" | "waiting" | "ended";

/** In the order of the list. */
const groups: readonly Group[] = ["attention", "running", "waiting", "ended"];

/** What the list is narrowed to; an empty text or list narrows nothing. */
export interface Filters {
  readonly text: string;
  readonly kinds: readonly string[];
  readonly states: readonly string[];
  readonly namespaces: readonly string[];
  readonly clusters: readonly string[];
}

/** A failure is news for a day; then it is history like the rest. */
const newsMs = 24 * 3_600_000;
const bad: ReadonlySet<State> = new Set(["failed", "partially-failed"]);

/** Where an operation belongs in the list. */
export function groupOf(operation: Operation, nowMs: number): Group {
  const { state } = operation;
  if (isTerminal(state)) {
    return bad.has(state) && nowMs - (operation.finishedAt ?? 0) < newsMs ? "attention" : "ended";
  }
  if (isStalled(operation)) return "attention";
  return state === "pending" ? "waiting" : "running";
}

/** Whether it stands still, as a whole or in a part that runs. */
export function isStalled(operation: Operation): boolean {
  return stalledPart(operation) !== undefined;
}

/** The part that stands still: the deepest tells most. */
export function stalledPart(operation: Operation): Operation | undefined {
  if (isTerminal(operation.state)) return undefined;
  for (const child of operation.children) {
    const found = stalledPart(child);
    if (found) return found;
  }
  return operation.stall ? operation : undefined;
}

/** The operations that pass the filters. */
export function narrow(operations: readonly Operation[], filters: Filters): Operation[] {
  const words = filters.text.toLowerCase().split(/\s+/).filter(Boolean);
  return operations.filter((operation) => {
    const { ref, kind } = operation;
    if (filters.kinds.length > 0 && !filters.kinds.includes(kind)) return false;
    if (filters.states.length > 0 && !filters.states.includes(shownState(operation))) return false;
    if (filters.namespaces.length > 0 && !filters.namespaces.includes(ref.namespace ?? "")) return false;
    if (filters.clusters.length > 0 && !filters.clusters.includes(ref.cluster ?? "")) return false;
    const text =
      `${ref.cluster ?? ""} ${ref.namespace ?? ""}/${ref.name} ${operation.title} ${operation.message ?? ""}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** A stalled operation is found under that word, too. */
export function shownState(operation: Operation): State | "stalled" {
  return isStalled(operation) ? "stalled" : operation.state;
}

/** Problems first, then what runs, what waits, what ended; inside a group by start or end, so that bars that move keep their place. */
export function arrange(
  operations: readonly Operation[],
  nowMs: number,
): readonly { readonly group: Group; readonly operations: readonly Operation[] }[] {
  const byGroup = new Map<Group, Operation[]>(groups.map((group) => [group, []]));
  for (const operation of operations) byGroup.get(groupOf(operation, nowMs))?.push(operation);
  return groups.flatMap((group) => {
    const members = byGroup.get(group) ?? [];
    members.sort((a, b) => rankOf(a) - rankOf(b) || timeOf(b) - timeOf(a) || (a.id < b.id ? -1 : 1));
    return members.length > 0 ? [{ group, operations: members }] : [];
  });
}

function rankOf(operation: Operation): number {
  return isTerminal(operation.state) ? 1 : 0;
}

function timeOf(operation: Operation): number {
  return operation.finishedAt ?? operation.startedAt ?? 0;
}
