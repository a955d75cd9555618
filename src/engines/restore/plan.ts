import type { Spool } from "./archive/spool.ts";
import type { Filters } from "./choice.ts";
import { orderTypes, type Priorities } from "./priorities.ts";

/** The items of one type in one namespace of the backup. */
interface PlannedGroup {
  /** Empty for cluster-scoped items. */
  readonly namespace: string;
  readonly target: string;
  /** Numbers of the items in the spool. */
  readonly items: Uint32Array;
}

/** One type to restore. */
export interface PlannedType {
  readonly groupResource: string;
  readonly groups: readonly PlannedGroup[];
  readonly totalItems: number;
}

/** What a restore will do, known before it does anything: step one of two. */
export interface Plan {
  /** Types in the order in which they are restored; namespaces are not among them. */
  readonly types: readonly PlannedType[];
  /** Target namespace to the namespace of the backup that it is made after; each counts as one item. */
  readonly namespaces: ReadonlyMap<string, string>;
  readonly totalItems: number;
}

/** Puts the collected items in order and counts them. */
export function planOf(spool: Spool, filters: Filters, priorities?: Priorities): Plan {
  const lists = spool.selectedByGroup();
  const namespaces = new Map<string, string>();
  const byType = new Map<string, PlannedGroup[]>();
  for (const group of spool.groups) {
    const items = lists.get(group.id);
    if (items === undefined) continue;
    if (group.groupResource === "namespaces" && group.namespace === "") {
      for (const ordinal of items) note(namespaces, filters, spool.nameOf(ordinal));
      continue;
    }
    if (group.namespace !== "") note(namespaces, filters, group.namespace);
    const planned = byType.get(group.groupResource) ?? [];
    planned.push({ namespace: group.namespace, target: filters.target(group.namespace), items });
    byType.set(group.groupResource, planned);
  }
  const types = orderTypes(byType.keys(), priorities).map((groupResource) => {
    const groups = (byType.get(groupResource) ?? []).toSorted((a, b) => (a.namespace < b.namespace ? -1 : 1));
    return { groupResource, groups, totalItems: sum(groups.map(({ items }) => items.length)) };
  });
  const totalItems = namespaces.size + sum(types.map((type) => type.totalItems));
  return { types, namespaces, totalItems };
}

function note(namespaces: Map<string, string>, filters: Filters, source: string): void {
  const target = filters.target(source);
  // Of two sources with one target the one that keeps its name is the model.
  if (!namespaces.has(target) || target === source) namespaces.set(target, source);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
