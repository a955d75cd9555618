import type { Resource } from "./resource.ts";

const of = (group: string, plural: string, kind: string, namespaced = true): Resource => ({
  group,
  version: "v1",
  plural,
  kind,
  namespaced,
});
const snapshots = "snapshot.storage.k8s.io";

/** The endpoints of Kubernetes' own kinds, and of the few that stand beside them (snapshots, OpenShift), that Headway talks to. */
export const builtIn = {
  namespaces: of("", "namespaces", "Namespace", false),
  nodes: of("", "nodes", "Node", false),
  pods: of("", "pods", "Pod"),
  secrets: of("", "secrets", "Secret"),
  configMaps: of("", "configmaps", "ConfigMap"),
  events: of("", "events", "Event"),
  limitRanges: of("", "limitranges", "LimitRange"),
  serviceAccounts: of("", "serviceaccounts", "ServiceAccount"),
  claims: of("", "persistentvolumeclaims", "PersistentVolumeClaim"),
  volumes: of("", "persistentvolumes", "PersistentVolume", false),
  replicationControllers: of("", "replicationcontrollers", "ReplicationController"),
  deployments: of("apps", "deployments", "Deployment"),
  statefulSets: of("apps", "statefulsets", "StatefulSet"),
  replicaSets: of("apps", "replicasets", "ReplicaSet"),
  daemonSets: of("apps", "daemonsets", "DaemonSet"),
  deploymentConfigs: of("apps.openshift.io", "deploymentconfigs", "DeploymentConfig"),
  jobs: of("batch", "jobs", "Job"),
  cronJobs: of("batch", "cronjobs", "CronJob"),
  leases: of("coordination.k8s.io", "leases", "Lease"),
  priorityClasses: of("scheduling.k8s.io", "priorityclasses", "PriorityClass", false),
  storageClasses: of("storage.k8s.io", "storageclasses", "StorageClass", false),
  definitions: of("apiextensions.k8s.io", "customresourcedefinitions", "CustomResourceDefinition", false),
  validatingWebhooks: of(
    "admissionregistration.k8s.io",
    "validatingwebhookconfigurations",
    "ValidatingWebhookConfiguration",
    false,
  ),
  tokenReviews: of("authentication.k8s.io", "tokenreviews", "TokenReview", false),
  subjectAccessReviews: of("authorization.k8s.io", "subjectaccessreviews", "SubjectAccessReview", false),
  selfSubjectAccessReviews: of(
    "authorization.k8s.io",
    "selfsubjectaccessreviews",
    "SelfSubjectAccessReview",
    false,
  ),
  snapshots: of(snapshots, "volumesnapshots", "VolumeSnapshot"),
  snapshotContents: of(snapshots, "volumesnapshotcontents", "VolumeSnapshotContent", false),
  snapshotClasses: of(snapshots, "volumesnapshotclasses", "VolumeSnapshotClass", false),
} as const;
