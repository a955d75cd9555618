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

/** The order in which types are restored: high priorities, the rest by name, low priorities; each once. */
export function orderTypes(types: Iterable<string>, priorities: Priorities = defaultPriorities): string[] {
  const left = new Set(types);
  const take = (list: readonly string[]): string[] => list.filter((type) => left.delete(type));
  const high = take(priorities.high);
  const low = take(priorities.low);
  return [...high, ...[...left].toSorted(), ...low];
}
