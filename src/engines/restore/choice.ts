import {
  type ArchiveEntry,
  groupResource,
  type IncludeExclude,
  type ItemRules,
  includeExclude,
  itemFits,
  type LabelSelector,
  nameFits,
  passes,
  passesEverything,
  type Restore,
  Rulebook,
  selects,
} from "../../api/index.ts";
import type { Choice } from "./archive/read.ts";
import { completeExcludes } from "./validate.ts";

type Spec = NonNullable<Restore["spec"]>;

/** Turns what a person wrote (`deploy`, `Deployment`) into the name of a type, undefined when the cluster has none. */
export type ResolveType = (word: string) => string | undefined;

/** What a restore lets through, with every word already resolved. */
export interface Filters extends Choice {
  readonly types: IncludeExclude;
  readonly namespaces: IncludeExclude;
  /** Whether an item that others ask for may come in; labels do not matter for those. */
  admits(groupResource: string, namespace: string, name: string): boolean;
  /** Kinds in the rules of a resource policy that have no effect. */
  readonly idle: Rulebook["idle"];
  /** Where a namespace of the backup goes. */
  target(namespace: string): string;
}

/** Types whose items are read for others, never restored themselves: no filter keeps them out. */
const mustHave = new Set(["datauploads.velero.io"]);
/** Types that come along with a claim whatever the filters say; alone they come only if they pass them. */
const brought = new Set([
  "volumesnapshots.snapshot.storage.k8s.io",
  "volumesnapshotcontents.snapshot.storage.k8s.io",
]);

/** The filters of a restore. What its resource policy asks of items comes on top of them, and overrules none. */
export function filtersOf(
  spec: Spec,
  resolve: ResolveType,
  rules: ItemRules = { cluster: [], namespaced: [] },
): Filters {
  const book = new Rulebook(rules, (word) => {
    // A type may have its definition in the backup itself: its full name is enough.
    const groupResource = resolve(word) ?? (word.includes(".") ? word : undefined);
    return groupResource === undefined ? undefined : { groupResource };
  });
  const ruleFor = (type: string, namespace: string) =>
    book.ruleFor(type, namespace === "" ? undefined : namespace);
  const types = includeExclude(
    (spec.includedResources ?? []).flatMap((word) => meant(word, resolve)),
    completeExcludes(spec).flatMap((word) => meant(word, resolve)),
  );
  const namespaces = includeExclude(spec.includedNamespaces, spec.excludedNamespaces);
  const cluster = spec.includeClusterResources ?? undefined;
  const selectors = selectorsOf(spec);
  const mapping = new Map(Object.entries(spec.namespaceMapping ?? {}));
  const passesAll = (type: string, namespace: string): boolean => {
    if (!passes(types, type)) return false;
    return namespace === "" ? cluster !== false : passes(namespaces, namespace);
  };
  const admits = (type: string, namespace: string, name: string): boolean => {
    if (mustHave.has(type) || brought.has(type)) return true;
    const rule = ruleFor(type, namespace);
    return passesAll(type, namespace) && (rule === undefined || rule === "none" || nameFits(rule, name));
  };
  return {
    idle: book.idle,
    types,
    namespaces,
    admits,
    target: (namespace) => mapping.get(namespace) ?? namespace,
    // Namespace objects are needed to create the namespaces of other items, whatever the filter of types says.
    keeps: (entry) =>
      isNamespace(entry)
        ? passes(namespaces, entry.name)
        : admits(groupResource(entry), entry.namespace ?? "", entry.name),
    selects(entry, item) {
      const type = groupResource(entry);
      if (mustHave.has(type)) return true;
      if (brought.has(type) && !passesAll(type, entry.namespace ?? "")) return false;
      if (!selectors.every((any) => any.some((selector) => selects(selector, item.metadata.labels ?? {}))))
        return false;
      const rule = ruleFor(type, entry.namespace ?? "");
      if (rule === "none" || (rule && !itemFits(rule, item.metadata))) return false;
      if (isNamespace(entry)) return passes(types, type) && cluster !== false;
      if (entry.namespace !== undefined) return true;
      return cluster === true || passesEverything(namespaces);
    },
  };
}

/** Whether an entry is a Namespace object. */
function isNamespace(entry: ArchiveEntry): boolean {
  return entry.group === "" && entry.resource === "namespaces" && entry.namespace === undefined;
}

/** All of the outer list must hold; of an inner list one. */
function selectorsOf(spec: Spec): readonly (readonly LabelSelector[])[] {
  const or = spec.orLabelSelectors ?? [];
  return [...(spec.labelSelector ? [[spec.labelSelector]] : []), ...(or.length > 0 ? [or] : [])];
}

/**
 * A word the cluster knows becomes its type. One it does not know may be a type whose definition is itself in the
 * backup, so a bare plural stands for that plural in any group; it never degenerates into "everything".
 */
function meant(word: string, resolve: ResolveType): readonly string[] {
  if (word === "*") return ["*"];
  const type = resolve(word);
  if (type !== undefined) return [type];
  return word.includes(".") || word.includes("*") ? [word] : [word, `${word}.*`];
}
