/** Types whose items must exist before others make sense, in that order; then all the rest by name, then `low`. */
export const defaultPriorities = {
  high: [
    "customresourcedefinitions.apiextensions.k8s.io",
    "namespaces",
    "storageclasses.storage.k8s.io",
    "volumesnapshotclasses.snapshot.storage.k8s.io",
    "volumesnapshotcontents.snapshot.storage.k8s.io",
    "volumesnapshots.snapshot.storage.k8s.io",
    "datauploads.velero.io",
    "persistentvolumes",
    "persistentvolumeclaims",
    "clusterroles.rbac.authorization.k8s.io",
    "roles.rbac.authorization.k8s.io",
    "serviceaccounts",
    "clusterrolebindings.rbac.authorization.k8s.io",
    "rolebindings.rbac.authorization.k8s.io",
    "secrets",
    "configmaps",
    "limitranges",
    "priorityclasses.scheduling.k8s.io",
    "pods",
    "replicasets.apps",
    "clusterclasses.cluster.x-k8s.io",
    "endpoints",
    "services",
  ],
  low: [
    "clusterbootstraps.run.tanzu.vmware.com",
    "clusters.cluster.x-k8s.io",
    "clusterresourcesets.addons.cluster.x-k8s.io",
    "apps.kappctrl.k14s.io",
    "packageinstalls.packaging.carvel.dev",
  ],
} as const satisfies Priorities;

/** Two ends of the order of types. */
export interface Priorities {
  readonly high: readonly string[];
  readonly low: readonly string[];
}

/** Reads `a,b,-,c`: what comes before everything else, then what comes after it; a sentence when it is none. */
export function parsePriorities(text: string): Priorities | string {
  const words = text.split(",").map((word) => word.trim());
  const [high = [], low = [], ...more] = words
    .join(",")
    .split(/(?:^|,)-(?:,|$)/)
    .map((part) => part.split(",").filter((word) => word !== ""));
  if (more.length > 0) return 'there is more than one "-"';
  const odd = [...high, ...low].find((word) => !/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/i.test(word));
  if (odd !== undefined) return `"${odd}" cannot be the name of a type`;
  return { high, low };
}

/** The same list with every word as archives name its type; a word that the cluster does not know stays. */
export function resolvedPriorities(
  { high, low }: Priorities,
  resolve: (word: string) => string | undefined,
): Priorities {
  const meant = (word: string): string => resolve(word) ?? word;
  return { high: high.map(meant), low: low.map(meant) };
}

/** The order in which types are restored: high priorities, the rest by name, low priorities; each once. */
export function orderTypes(types: Iterable<string>, priorities: Priorities = defaultPriorities): string[] {
  const left = new Set(types);
  const take = (list: readonly string[]): string[] => list.filter((type) => left.delete(type));
  const high = take(priorities.high);
  const low = take(priorities.low);
  return [...high, ...[...left].toSorted(), ...low];
}
