import type { KubeObject, MigPlan, MigVolume } from "../../api/index.ts";
import { builtIn } from "../../kube/index.ts";

/** The resources of Kubernetes and OpenShift that a migration works with. */
export const resources = {
  namespaces: builtIn.namespaces,
  pods: builtIn.pods,
  claims: builtIn.claims,
  volumes: builtIn.volumes,
  accounts: builtIn.serviceAccounts,
  secrets: builtIn.secrets,
  configMaps: builtIn.configMaps,
  events: builtIn.events,
  limitRanges: builtIn.limitRanges,
  storageClasses: builtIn.storageClasses,
  jobs: builtIn.jobs,
  cronJobs: builtIn.cronJobs,
  deployments: builtIn.deployments,
  statefulSets: builtIn.statefulSets,
  replicaSets: builtIn.replicaSets,
  daemonSets: builtIn.daemonSets,
  replicationControllers: builtIn.replicationControllers,
  deploymentConfigs: builtIn.deploymentConfigs,
} as const;

/** A container, as far as a stage pod copies it. */
interface Container {
  readonly name: string;
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[];
  readonly securityContext?: unknown;
}

/** A volume of a pod. */
interface PodVolume {
  readonly name: string;
  readonly persistentVolumeClaim?: { readonly claimName: string };
}

/** What a pod or a template of pods is made of. */
export interface PodSpec {
  readonly nodeName?: string;
  readonly nodeSelector?: Readonly<Record<string, string>>;
  readonly serviceAccountName?: string;
  readonly automountServiceAccountToken?: boolean;
  readonly terminationGracePeriodSeconds?: number;
  readonly securityContext?: unknown;
  readonly containers?: readonly Container[];
  readonly volumes?: readonly PodVolume[];
}

interface ContainerStatus {
  readonly name: string;
  readonly state?: {
    readonly waiting?: { readonly reason?: string; readonly message?: string };
    readonly running?: object;
  };
}

/** A pod, as far as it is looked at. */
export interface Pod extends KubeObject {
  readonly spec?: PodSpec;
  readonly status?: {
    readonly phase?: string;
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

/** A claim, as far as it is looked at. */
export interface Claim extends KubeObject {
  readonly spec?: {
    readonly volumeName?: string;
    readonly storageClassName?: string;
    readonly accessModes?: readonly string[];
    readonly volumeMode?: string;
    readonly resources?: { readonly requests?: Readonly<Record<string, string>> };
  };
  readonly status?: { readonly phase?: string; readonly capacity?: Readonly<Record<string, string>> };
}

/** A workload, as far as it is looked at. */
export interface Workload extends KubeObject {
  readonly spec?: {
    readonly replicas?: number;
    readonly parallelism?: number;
    readonly suspend?: boolean;
    readonly template?: {
      readonly spec?: PodSpec & { readonly nodeSelector?: Readonly<Record<string, string>> };
    };
    readonly jobTemplate?: { readonly spec?: { readonly template?: { readonly spec?: PodSpec } } };
  };
  readonly status?: {
    readonly replicas?: number;
    readonly readyReplicas?: number;
    readonly desiredNumberScheduled?: number;
    readonly currentNumberScheduled?: number;
    readonly numberReady?: number;
    readonly succeeded?: number;
    readonly failed?: number;
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly reason?: string;
    }[];
  };
}

/** A namespace of a plan on both clusters. */
export interface NamespacePair {
  readonly source: string;
  readonly destination: string;
}

/** The namespaces of a plan, each `name` or `source:destination`. */
export function namespacesOf(plan: Pick<MigPlan, "spec">): readonly NamespacePair[] {
  return (plan.spec?.namespaces ?? []).map((entry) => {
    const [source = "", destination = ""] = entry.split(":");
    return { source, destination: destination === "" ? source : destination };
  });
}

/** The volumes of a plan that are moved or copied. */
export function volumesToMigrate(plan: Pick<MigPlan, "spec">): readonly MigVolume[] {
  return (plan.spec?.persistentVolumes ?? []).filter(
    ({ selection }) => (selection.action ?? "copy") !== "skip",
  );
}

/** Whether the files of a volume go through the store. */
export function isCopiedByFiles({ selection }: MigVolume): boolean {
  return (selection.action ?? "copy") === "copy" && (selection.copyMethod ?? "filesystem") === "filesystem";
}

/** Whether a volume of the plan is copied out of a snapshot. */
export function hasSnapshots(plan: Pick<MigPlan, "spec">): boolean {
  return volumesToMigrate(plan).some(isCopiedBySnapshot);
}

/** Whether a volume is copied out of a snapshot of it. */
export function isCopiedBySnapshot({ selection }: MigVolume): boolean {
  return (selection.action ?? "copy") === "copy" && selection.copyMethod === "snapshot";
}

/** A claim's place on the source; the plan may write both sides of a mapping. */
export function claimOf(volume: MigVolume): { readonly namespace: string; readonly name: string } {
  const first = (text: string | undefined) => (text ?? "").split(":")[0] ?? "";
  return { namespace: first(volume.pvc?.namespace), name: first(volume.pvc?.name) };
}

/** Claims whose files are copied, as `namespace/name`. */
export function copiedClaims(plan: Pick<MigPlan, "spec">): ReadonlySet<string> {
  return new Set(
    volumesToMigrate(plan)
      .filter(isCopiedByFiles)
      .map((volume) => `${claimOf(volume).namespace}/${claimOf(volume).name}`),
  );
}
