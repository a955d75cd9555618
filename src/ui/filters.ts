import { isInStates, type Operation } from "../progress/index.ts";

/** What the list is narrowed to; an empty text or list narrows nothing. */
export interface Filters {
  readonly text: string;
  readonly kinds: readonly string[];
  readonly states: readonly string[];
  readonly namespaces: readonly string[];
  readonly clusters: readonly string[];
}

/** The operations that pass the filters. */
export function narrow(operations: readonly Operation[], filters: Filters): Operation[] {
  const words = filters.text.toLowerCase().split(/\s+/).filter(Boolean);
  return operations.filter((operation) => {
    const { ref, kind } = operation;
    if (filters.kinds.length > 0 && !filters.kinds.includes(kind)) return false;
    if (!isInStates(operation, filters.states)) return false;
    if (filters.namespaces.length > 0 && !filters.namespaces.includes(ref.namespace ?? "")) return false;
    if (filters.clusters.length > 0 && !filters.clusters.includes(ref.cluster ?? "")) return false;
    const text =
      `${ref.cluster ?? ""} ${ref.namespace ?? ""}/${ref.name} ${operation.title} ${operation.message ?? ""}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}
