import type { KubeObject } from "../../api/index.ts";
import type { Failure } from "./blame.ts";

/** As much of a workload as decides whether it is ready. */
export interface Workload extends KubeObject {
  readonly spec?: { readonly replicas?: number; readonly paused?: boolean };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly readyReplicas?: number;
    readonly updatedReplicas?: number;
    readonly numberReady?: number;
    readonly desiredNumberScheduled?: number;
  };
}

interface ContainerStatus {
  readonly name: string;
  readonly ready?: boolean;
  readonly restartCount?: number;
  readonly image?: string;
  readonly state?: {
    readonly waiting?: { readonly reason?: string; readonly message?: string };
    readonly terminated?: { readonly reason?: string; readonly exitCode?: number };
  };
  readonly lastState?: { readonly terminated?: { readonly exitCode?: number; readonly reason?: string } };
}

/** As much of a pod as decides about it. */
export interface PodFacts extends KubeObject {
  readonly spec?: {
    readonly containers?: readonly { readonly name: string; readonly image?: string }[];
    readonly nodeName?: string;
  };
  readonly status?: {
    readonly phase?: string;
    readonly podIP?: string;
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

/** Whether a workload is ready, and what it lacks. */
export interface Readiness {
  readonly object: string;
  readonly ready: boolean;
  readonly words: string;
}

/** The readiness of what runs in one namespace; pods of a workload are judged by the workload. */
export function readinessOf(workloads: readonly Workload[], pods: readonly PodFacts[]): readonly Readiness[] {
  const lone = pods.filter(({ metadata }) => (metadata.ownerReferences ?? []).length === 0);
  return [...workloads.filter(isTop).map(readyWorkload), ...lone.map(readyPod)];
}

function isTop({ metadata }: KubeObject): boolean {
  return (metadata.ownerReferences ?? []).every(({ controller }) => controller !== true);
}

function readyWorkload({ kind, metadata, spec, status }: Workload): Readiness {
  const isDaemon = kind === "DaemonSet";
  const want = isDaemon ? (status?.desiredNumberScheduled ?? 0) : (spec?.replicas ?? 1);
  const have = (isDaemon ? status?.numberReady : status?.readyReplicas) ?? 0;
  const isSeen = (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0);
  return {
    object: `${kind.toLowerCase()}/${metadata.name}`,
    ready: isSeen && have >= want,
    words: `${have} of ${want} ready`,
  };
}

function readyPod(pod: PodFacts): Readiness {
  const phase = pod.status?.phase ?? "Pending";
  const ready = phase === "Succeeded" || (phase === "Running" && isReady(pod));
  return { object: `pod/${pod.metadata.name}`, ready, words: ready ? "ready" : `${phase}, not ready` };
}

/** Whether a pod says that it is ready. */
export function isReady({ status }: PodFacts): boolean {
  return status?.conditions?.some((one) => one.type === "Ready" && one.status === "True") === true;
}

const pulls = new Set([
  "ErrImagePull",
  "ImagePullBackOff",
  "InvalidImageName",
  "ErrImageNeverPull",
  "ImageInspectError",
]);

/** Why a pod is not ready: its image, the cluster that has no room for it, or the application itself. */
export function podFailure(namespace: string, pod: PodFacts): Failure | undefined {
  const { status } = pod;
  if (status?.phase === "Succeeded" || (status?.phase === "Running" && isReady(pod))) return undefined;
  const object = `pod ${namespace}/${pod.metadata.name}`;
  const containers = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  for (const { name, image, state, lastState, restartCount = 0 } of containers) {
    const { reason = "", message = "" } = state?.waiting ?? {};
    if (pulls.has(reason)) {
      const which = image || pod.spec?.containers?.find((one) => one.name === name)?.image || "";
      return {
        part: "image",
        reason,
        object,
        message: `image "${which}" cannot be pulled: ${message || reason}`,
      };
    }
    if (reason === "CreateContainerConfigError" || reason === "CreateContainerError") {
      return {
        part: "application",
        reason,
        object,
        message: `container "${name}" cannot be made: ${message || reason}`,
      };
    }
    const code = state?.terminated?.exitCode ?? lastState?.terminated?.exitCode;
    if (code !== undefined && code !== 0) {
      const again = restartCount > 0 ? `, after ${restartCount} restarts` : "";
      return {
        part: "application",
        reason: "ContainerExits",
        object,
        message: `container "${name}" ends with ${code}${again}`,
      };
    }
  }
  const scheduled = status?.conditions?.find(({ type }) => type === "PodScheduled");
  if (scheduled?.status === "False") {
    return {
      part: "cluster",
      reason: scheduled.reason ?? "Unschedulable",
      object,
      message: `no node takes the pod: ${scheduled.message ?? scheduled.reason ?? ""}`,
    };
  }
  const waits = containers.find(({ ready }) => ready !== true);
  const which = waits ? `container "${waits.name}"` : "the pod";
  return {
    part: "application",
    reason: "NotReady",
    object,
    message: `${which} runs but does not become ready`,
  };
}
