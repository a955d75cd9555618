import {
  type Backup,
  groupResource,
  type IncludeExclude,
  type ItemRules,
  includeExclude,
  isGlob,
  matchesGlob,
  passes,
  passesEverything,
  Rulebook,
} from "../../api/index.ts";

/** What a filter needs to know of a resource type. */
export interface TypeName {
  readonly group: string;
  readonly plural: string;
  readonly namespaced: boolean;
}

/** Turns what a person wrote (`deploy`, `Deployment`, `deployments.apps`) into a type, undefined when there is none. */
export type Resolve = (word: string) => TypeName | undefined;

/** The filters of a backup, names resolved. The two families cannot be mixed; see velero's documentation of filters. */
export interface Filters {
  readonly namespaces: IncludeExclude;
  readonly types:
    | { readonly family: "old"; readonly all: IncludeExclude; readonly clusterScoped: boolean | undefined }
    | { readonly family: "scoped"; readonly cluster: IncludeExclude; readonly namespaced: IncludeExclude };
  /** What a resource policy asks of single items; absent when it does not. */
  readonly rules?: Rulebook;
}

type Spec = NonNullable<Backup["spec"]>;

/** Types that only come in as companions of a volume's snapshot, never by being listed. */
export const companionsOnly = {
  namespaced: ["volumesnapshots.snapshot.storage.k8s.io"],
  cluster: ["volumesnapshotcontents.snapshot.storage.k8s.io"],
} as const;
const companions: readonly string[] = [...companionsOnly.namespaced, ...companionsOnly.cluster];

/** The name that filters match: `deployments.apps`, `pods`. */
export function typeName(type: Pick<TypeName, "group" | "plural">): string {
  return groupResource({ group: type.group, resource: type.plural });
}

/** Whether the spec uses the filters that know no scope. */
export function usesOldFilters(spec: Spec): boolean {
  return (
    (spec.includeClusterResources ?? undefined) !== undefined ||
    (spec.includedResources ?? []).length > 0 ||
    own(spec.excludedResources).length > 0
  );
}

/** Whether the spec uses the filters by scope. */
export function usesScopedFilters(spec: Spec): boolean {
  return [
    spec.includedClusterScopedResources,
    own(spec.excludedClusterScopedResources),
    spec.includedNamespaceScopedResources,
    own(spec.excludedNamespaceScopedResources),
  ].some((list) => (list ?? []).length > 0);
}

/** The filters of a spec. Extra lists of a resource policy are added where the spec does not name the type itself. */
export function filtersOf(
  spec: Spec,
  resolve: Resolve,
  policy: PolicyLists = {},
  rules?: ItemRules,
): Filters {
  const namespaces = includeExclude(spec.includedNamespaces, spec.excludedNamespaces);
  if (usesOldFilters(spec)) {
    const all = resolved(includeExclude(spec.includedResources, own(spec.excludedResources)), resolve);
    return {
      namespaces,
      types: { family: "old", all, clusterScoped: spec.includeClusterResources ?? undefined },
    };
  }
  const cluster = resolved(
    includeExclude(spec.includedClusterScopedResources, own(spec.excludedClusterScopedResources)),
    resolve,
    false,
  );
  const namespaced = resolved(
    includeExclude(spec.includedNamespaceScopedResources, own(spec.excludedNamespaceScopedResources)),
    resolve,
    true,
  );
  return {
    namespaces,
    types: {
      family: "scoped",
      cluster: added(cluster, policy.includedClusterScopedResources, policy.excludedClusterScopedResources),
      namespaced: added(
        namespaced,
        policy.includedNamespaceScopedResources,
        policy.excludedNamespaceScopedResources,
      ),
    },
    ...(rules && { rules: new Rulebook(rules, (word) => ruledType(resolve(word))) }),
  };
}

function ruledType(type: TypeName | undefined) {
  return type && { groupResource: typeName(type), namespaced: type.namespaced };
}

/** Kinds in rules of a resource policy that have no effect, and why: told, or a typing error would be a backup of too little. */
export function idleRules({ types, rules }: Filters): readonly { kind: string; reason: string }[] {
  if (types.family === "old" || !rules) return [];
  const excludes = [...types.cluster.excludes, ...types.namespaced.excludes];
  const excluded = [...rules.types()].filter((name) => matches(excludes, name));
  return [...rules.idle, ...excluded.map((kind) => ({ kind, reason: "the type is excluded" }))];
}

/** The four lists that a resource policy may carry. */
export interface PolicyLists {
  readonly includedClusterScopedResources?: readonly string[];
  readonly excludedClusterScopedResources?: readonly string[];
  readonly includedNamespaceScopedResources?: readonly string[];
  readonly excludedNamespaceScopedResources?: readonly string[];
}

/** Whether objects of a type are listed at all. */
export function listsType({ namespaces, types }: Filters, type: TypeName): boolean {
  const name = typeName(type);
  if (companions.includes(name)) return false;
  if (types.family === "old") {
    if (!type.namespaced && types.clusterScoped === false) return false;
    const auto = types.clusterScoped === undefined && name !== "namespaces";
    if (!type.namespaced && auto && !passesEverything(namespaces)) return false;
    return passes(types.all, name);
  }
  if (type.namespaced) return passes(types.namespaced, name);
  const { includes, excludes } = types.cluster;
  if (matches(excludes, name)) return false;
  if (includes.length === 0 && excludes.length === 0) {
    if (passesEverything(namespaces) && passesEverything(types.namespaced)) return true;
  }
  return matches(includes, name) || name === "namespaces";
}

/** Whether a companion (a pod's claim, a claim's volume) must stay out although another item needs it. */
export function refusesCompanion({ types }: Filters, type: TypeName): boolean {
  const name = typeName(type);
  if (types.family === "scoped") {
    return matches((type.namespaced ? types.namespaced : types.cluster).excludes, name);
  }
  if (matches(types.all.excludes, name)) return true;
  if (type.namespaced || types.clusterScoped === true) return false;
  return types.clusterScoped === false || !passes(types.all, name);
}

/** Whether an API whose types cannot be asked for may have some that belong in: then nobody knows what is missing. */
export function mayWantGroup({ types }: Filters, group: string, known: ReadonlySet<string>): boolean {
  const wants = ({ includes, excludes }: IncludeExclude) =>
    !matches(excludes, `any.${group}`) &&
    (includes.length === 0 || includes.some((word) => isGlob(word) || !known.has(word)));
  if (types.family === "old") return wants(types.all);
  // Without a list of their own, cluster-scoped types come in only together with all the others.
  return wants(types.namespaced) || (types.cluster.includes.length > 0 && wants(types.cluster));
}

/** What the lists of included types name and no served type is: told, or a typing error would be a backup of nothing. */
export function unknownTypes({ types }: Filters, known: ReadonlySet<string>): readonly string[] {
  const included =
    types.family === "old" ? types.all.includes : [...types.cluster.includes, ...types.namespaced.includes];
  return included.filter((word) => ![...known].some((name) => matchesGlob(word, name)));
}

function matches(patterns: readonly string[], name: string): boolean {
  return patterns.some((pattern) => matchesGlob(pattern, name));
}

/** The list without what we put there ourselves when the backup was admitted. */
function own(list: readonly string[] | null | undefined): readonly string[] {
  return (list ?? []).filter((name) => !companions.includes(name));
}

/** Words become type names; a word that means nothing stays as it is, so that the list never turns into "everything". */
function resolved(pair: IncludeExclude, resolve: Resolve, namespaced?: boolean): IncludeExclude {
  const one = (word: string): string[] => {
    if (word === "*") return ["*"];
    const type = resolve(word);
    if (!type) return [word];
    return namespaced === undefined || type.namespaced === namespaced ? [typeName(type)] : [];
  };
  return { includes: pair.includes.flatMap(one), excludes: pair.excludes.flatMap(one) };
}

function added(
  pair: IncludeExclude,
  includes: readonly string[] = [],
  excludes: readonly string[] = [],
): IncludeExclude {
  const named = [...pair.includes, ...pair.excludes];
  const all = named.includes("*");
  const fresh = (list: readonly string[]) => (all ? [] : list.filter((name) => !named.includes(name)));
  return {
    includes: [...pair.includes, ...fresh(includes)],
    excludes: [...pair.excludes, ...fresh(excludes)],
  };
}
