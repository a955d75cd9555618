import { typeName } from "./filters.ts";

/** What the order and the choice of types need of discovery. */
export interface ServedType {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly preferred: boolean;
}

const needed = ["list", "create", "get", "delete"];
/** In the core group these come first, so that volumes are looked after before anything else. */
const coreFirst = ["pods", "persistentvolumeclaims", "persistentvolumes"];
/** One object, two API groups: the first group seen wins. */
const cohabiting: Readonly<Record<string, readonly string[]>> = {
  deployments: ["extensions", "apps"],
  daemonsets: ["extensions", "apps"],
  replicasets: ["extensions", "apps"],
  networkpolicies: ["extensions", "networking.k8s.io"],
  events: ["", "events.k8s.io"],
};

/** The types a backup walks, in its order: preferred versions, groups as the server has them, namespaces last. */
export function typesInOrder<T extends ServedType>(served: readonly T[]): T[] {
  const usable = served.filter(
    (type) =>
      type.preferred && !type.plural.includes("/") && needed.every((verb) => type.verbs.includes(verb)),
  );
  const groups = Map.groupBy(usable, (type) => type.group);
  const order = [...groups.keys()].toSorted(
    (a, b) => Number(a === "extensions") - Number(b === "extensions"),
  );
  const walked = order.flatMap((group) => coreOrder(group, groups.get(group) ?? []));
  const once = withoutCohabitants(walked);
  // Which Namespace objects belong in is known only when everything that may live in them has been seen.
  return [
    ...once.filter((t) => typeName(t) !== "namespaces"),
    ...once.filter((t) => typeName(t) === "namespaces"),
  ];
}

function coreOrder<T extends ServedType>(group: string, types: readonly T[]): readonly T[] {
  if (group !== "") return types;
  const rank = (type: T) => {
    const at = coreFirst.indexOf(type.plural);
    return at < 0 ? coreFirst.length : at;
  };
  return types.toSorted((a, b) => rank(a) - rank(b));
}

function withoutCohabitants<T extends ServedType>(types: readonly T[]): T[] {
  const taken = new Set<string>();
  return types.filter((type) => {
    if (!cohabiting[type.plural]?.includes(type.group)) return true;
    if (taken.has(type.plural)) return false;
    taken.add(type.plural);
    return true;
  });
}

/** The order inside a type that a backup asks for: `pods` → `ns/a,ns/b`. Keys are plural names as people write them. */
export function wantedOrder(
  ordered: Readonly<Record<string, string>> | null | undefined,
  type: Pick<ServedType, "plural" | "group" | "namespaced">,
): { readonly namespace?: string; readonly name: string }[] {
  const text = ordered?.[typeName(type)] ?? ordered?.[type.plural];
  return (text ?? "")
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .map((part) => {
      const [first = "", second] = part.split("/", 2);
      return second === undefined ? { name: first } : { namespace: first, name: second };
    });
}
