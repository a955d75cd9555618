import type { KubeObject } from "../../api/index.ts";
import { builtIn, type Resource } from "../../kube/index.ts";

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
  pods: builtIn.pods,
  secrets: builtIn.secrets,
  configMaps: builtIn.configMaps,
  claims: builtIn.claims,
  namespaces: builtIn.namespaces,
  statefulSets: builtIn.statefulSets,
  deployments: builtIn.deployments,
  replicaSets: builtIn.replicaSets,
  deploymentConfigs: builtIn.deploymentConfigs,
  replicationControllers: builtIn.replicationControllers,
  snapshots: builtIn.snapshots,
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
