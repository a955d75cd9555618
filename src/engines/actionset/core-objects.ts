import type { KubeObject } from "../../api/index.ts";
import type { Resource } from "../../kube/index.ts";

const resource = (
  group: string,
  version: string,
  plural: string,
  kind: string,
  namespaced = true,
): Resource => ({
  group,
  version,
  plural,
  kind,
  namespaced,
});

/** Endpoints of the kinds that actions work with. */
export const resources = {
  pods: resource("", "v1", "pods", "Pod"),
  secrets: resource("", "v1", "secrets", "Secret"),
  configMaps: resource("", "v1", "configmaps", "ConfigMap"),
  claims: resource("", "v1", "persistentvolumeclaims", "PersistentVolumeClaim"),
  namespaces: resource("", "v1", "namespaces", "Namespace", false),
  statefulSets: resource("apps", "v1", "statefulsets", "StatefulSet"),
  deployments: resource("apps", "v1", "deployments", "Deployment"),
  replicaSets: resource("apps", "v1", "replicasets", "ReplicaSet"),
  deploymentConfigs: resource("apps.openshift.io", "v1", "deploymentconfigs", "DeploymentConfig"),
  replicationControllers: resource("", "v1", "replicationcontrollers", "ReplicationController"),
  snapshots: resource("snapshot.storage.k8s.io", "v1", "volumesnapshots", "VolumeSnapshot"),
  snapshotContents: resource(
    "snapshot.storage.k8s.io",
    "v1",
    "volumesnapshotcontents",
    "VolumeSnapshotContent",
    false,
  ),
  snapshotClasses: resource(
    "snapshot.storage.k8s.io",
    "v1",
    "volumesnapshotclasses",
    "VolumeSnapshotClass",
    false,
  ),
} as const;

export interface SecretObject extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
  readonly type?: string;
}

export interface ConfigMapObject extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
  readonly binaryData?: Readonly<Record<string, string>>;
}

interface ContainerState {
  readonly waiting?: { readonly reason?: string; readonly message?: string };
  readonly terminated?: { readonly exitCode?: number; readonly reason?: string; readonly message?: string };
  readonly running?: object;
}

export interface ContainerStatus {
  readonly name: string;
  readonly state?: ContainerState;
}

interface Container {
  readonly name: string;
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[];
}

export interface PodObject extends KubeObject {
  readonly spec?: {
    readonly containers?: readonly Container[];
    readonly volumes?: readonly {
      readonly name: string;
      readonly persistentVolumeClaim?: { readonly claimName: string };
    }[];
  };
  readonly status?: {
    readonly phase?: string;
    readonly reason?: string;
    readonly message?: string;
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly reason?: string;
      readonly message?: string;
    }[];
    readonly containerStatuses?: readonly ContainerStatus[];
    readonly initContainerStatuses?: readonly ContainerStatus[];
  };
}

export interface WorkloadObject extends KubeObject {
  readonly spec?: {
    readonly replicas?: number;
    readonly selector?:
      | { readonly matchLabels?: Readonly<Record<string, string>> }
      | Readonly<Record<string, string>>;
  };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly replicas?: number;
    readonly readyReplicas?: number;
    readonly updatedReplicas?: number;
    readonly availableReplicas?: number;
    readonly latestVersion?: number;
  };
}
