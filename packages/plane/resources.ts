import type { Named } from "./status.ts";

/** One served resource in one version. */
export interface Resource extends Named {
  readonly version: string;
  readonly listKind: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly namespaced: boolean;
  readonly subresources: readonly string[];
  readonly verbs: readonly string[];
  /** Where objects are stored: `plural.group`, the same for all versions. */
  readonly storage: string;
  /** The type in schema/; absent for custom resources. */
  readonly struct?: string;
  /** The definition's version entry; absent for built-in kinds. */
  readonly custom?: CustomVersion;
}

/** What a CustomResourceDefinition says about one version. */
export interface CustomVersion {
  readonly storageVersion: string;
  readonly schema: unknown;
  readonly columns: readonly PrinterColumn[];
  readonly selectableFields: readonly string[];
  readonly scale?: {
    readonly specReplicasPath: string;
    readonly statusReplicasPath: string;
    readonly labelSelectorPath?: string;
  };
}

/** One column of `kubectl get` that a definition declares. */
export interface PrinterColumn {
  readonly name: string;
  readonly type: string;
  readonly format?: string;
  readonly description?: string;
  readonly priority?: number;
  readonly jsonPath: string;
}

/** `group/version`, or only the version in the core group. */
export function apiVersionOf(resource: { readonly group: string; readonly version: string }): string {
  return resource.group === "" ? resource.version : `${resource.group}/${resource.version}`;
}

const everyVerb = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];

// group/version kind plural [shortNames] [flags]: n namespaced, s status, c scale, a category all, x api-extensions, o only create
const table = `
v1 ConfigMap configmaps cm n
v1 Endpoints endpoints ep n
v1 Event events ev n
v1 LimitRange limitranges limits n
v1 Namespace namespaces ns s
v1 Node nodes no s
v1 PersistentVolume persistentvolumes pv s
v1 PersistentVolumeClaim persistentvolumeclaims pvc ns
v1 Pod pods po nsa
v1 PodTemplate podtemplates - n
v1 ReplicationController replicationcontrollers rc nsca
v1 ResourceQuota resourcequotas quota ns
v1 Secret secrets - n
v1 Service services svc nsa
v1 ServiceAccount serviceaccounts sa n
admissionregistration.k8s.io/v1 MutatingWebhookConfiguration mutatingwebhookconfigurations - x
admissionregistration.k8s.io/v1 ValidatingWebhookConfiguration validatingwebhookconfigurations - x
apiextensions.k8s.io/v1 CustomResourceDefinition customresourcedefinitions crd,crds sx
apps/v1 ControllerRevision controllerrevisions - n
apps/v1 DaemonSet daemonsets ds nsa
apps/v1 Deployment deployments deploy nsca
apps/v1 ReplicaSet replicasets rs nsca
apps/v1 StatefulSet statefulsets sts nsca
authentication.k8s.io/v1 SelfSubjectReview selfsubjectreviews - o
authentication.k8s.io/v1 TokenReview tokenreviews - o
authorization.k8s.io/v1 LocalSubjectAccessReview localsubjectaccessreviews - no
authorization.k8s.io/v1 SelfSubjectAccessReview selfsubjectaccessreviews - o
authorization.k8s.io/v1 SelfSubjectRulesReview selfsubjectrulesreviews - o
authorization.k8s.io/v1 SubjectAccessReview subjectaccessreviews - o
autoscaling/v2 HorizontalPodAutoscaler horizontalpodautoscalers hpa nsa
batch/v1 CronJob cronjobs cj nsa
batch/v1 Job jobs - nsa
coordination.k8s.io/v1 Lease leases - n
discovery.k8s.io/v1 EndpointSlice endpointslices - n
events.k8s.io/v1 Event events ev n
networking.k8s.io/v1 Ingress ingresses ing ns
networking.k8s.io/v1 IngressClass ingressclasses - -
networking.k8s.io/v1 NetworkPolicy networkpolicies netpol n
policy/v1 PodDisruptionBudget poddisruptionbudgets pdb ns
rbac.authorization.k8s.io/v1 ClusterRole clusterroles - -
rbac.authorization.k8s.io/v1 ClusterRoleBinding clusterrolebindings - -
rbac.authorization.k8s.io/v1 Role roles - n
rbac.authorization.k8s.io/v1 RoleBinding rolebindings - n
scheduling.k8s.io/v1 PriorityClass priorityclasses pc -
storage.k8s.io/v1 CSIDriver csidrivers - -
storage.k8s.io/v1 CSINode csinodes - -
storage.k8s.io/v1 StorageClass storageclasses sc -
storage.k8s.io/v1 VolumeAttachment volumeattachments - s
`;

/** Subresources beyond status and scale. */
const extra: Readonly<Record<string, readonly string[]>> = {
  namespaces: ["finalize"],
  pods: ["attach", "binding", "ephemeralcontainers", "eviction", "exec", "log", "portforward"],
  serviceaccounts: ["token"],
};

/** The built-in resources. */
export const builtin: readonly Resource[] = table.trim().split("\n").map(parse);

function parse(line: string): Resource {
  const [gv = "", kind = "", plural = "", shorts = "-", flags = "-"] = line.split(" ");
  const [version = "", group = ""] = gv.split("/").reverse();
  const core = group === "" ? (extra[plural] ?? []) : [];
  const onlyCreate = flags.includes("o");
  return {
    group,
    version,
    kind,
    plural,
    listKind: `${kind}List`,
    singular: kind.toLowerCase(),
    shortNames: shorts === "-" ? [] : shorts.split(","),
    categories: flags.includes("a") ? ["all"] : flags.includes("x") ? ["api-extensions"] : [],
    namespaced: flags.includes("n"),
    subresources: [
      ...core,
      ...(flags.includes("c") ? ["scale"] : []),
      ...(flags.includes("s") ? ["status"] : []),
    ].toSorted(),
    verbs: onlyCreate ? ["create"] : everyVerb,
    // Both event groups are views of the same objects.
    storage: plural === "events" || group === "" ? plural : `${plural}.${group}`,
    struct: group === "events.k8s.io" ? "events.Event" : kind,
  };
}
