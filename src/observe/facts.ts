import type { KubeObject } from "../api/index.ts";
import { isVolumeEnded, type VolumeObject } from "../kinds/index.ts";
import type { StallCause } from "../progress/index.ts";

/** What is kept of a pod: enough to tell why nothing happens in it. */
export interface PodFacts {
  readonly phase: string;
  readonly node?: string;
  readonly isAgent: boolean;
  /** Why a container waits, such as `ImagePullBackOff`. */
  readonly waits: readonly string[];
  /** A container, one of the start included, runs. */
  readonly works: boolean;
  /** Epoch ms of its start. */
  readonly startedAt?: number;
  /** Why no node takes it, in the scheduler's words. */
  readonly unscheduled?: string;
}

/** The cluster around the operations, as far as it is known. A part that is not known is absent. */
export interface Facts {
  /** By `namespace/name`. */
  readonly pods?: ReadonlyMap<string, PodFacts>;
  /** Whether each node is ready. */
  readonly nodes?: ReadonlyMap<string, boolean>;
  /** The last sign of life of the agent on a node. */
  readonly agents?: ReadonlyMap<string, LeaseFacts>;
}

/** What is kept of an agent's Lease. */
export interface LeaseFacts {
  /** Epoch ms of the last renewal, by the agent's clock. */
  readonly renewedAt: number;
  /** Epoch ms at which this process saw that renewal, by its own clock: clocks of machines differ. */
  readonly seenAt: number;
}

interface PodObject extends KubeObject {
  readonly spec?: { readonly nodeName?: string };
  readonly status?: {
    readonly phase?: string;
    readonly startTime?: string | null;
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly message?: string;
    }[];
    readonly containerStatuses?: readonly ContainerStatus[];
    readonly initContainerStatuses?: readonly ContainerStatus[];
  };
}

interface ContainerStatus {
  readonly state?: { readonly waiting?: { readonly reason?: string }; readonly running?: object };
}

/** An agent renews its Lease every ten seconds: one that was not seen to do so for this long is gone, or frozen. */
const leaseTrustMs = 25_000;
/** A Lease that is older at first sight is not believed; the distance leaves room for clocks that differ. */
const firstSightMs = 120_000;
const imageFaults = /^(ErrImage|ImagePull|InvalidImageName|RegistryUnavailable)/;

/** The part of a pod that is kept. */
export function podFacts(object: KubeObject): PodFacts {
  const { spec, status, metadata } = object as PodObject; // the informer asks for pods
  const containers = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  const scheduled = status?.conditions?.find(({ type }) => type === "PodScheduled");
  const { role, name } = metadata.labels ?? {};
  return {
    phase: status?.phase ?? "Pending",
    ...(spec?.nodeName && { node: spec.nodeName }),
    isAgent: role === "node-agent" || name === "node-agent",
    waits: containers.flatMap(({ state }) => state?.waiting?.reason ?? []),
    works: containers.some(({ state }) => state?.running !== undefined),
    ...(Date.parse(status?.startTime ?? "") > 0 && { startedAt: Date.parse(status?.startTime ?? "") }),
    ...(scheduled?.status === "False" && { unscheduled: scheduled.message ?? "" }),
  };
}

/** Whether a node is ready. */
export function nodeReady(object: KubeObject): boolean {
  const { status } = object as PodObject; // the informer asks for nodes, whose conditions have the same shape
  return status?.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True") ?? false;
}

/** Epoch ms at which a Lease was last renewed; 0 when never. */
export function renewedAt(object: KubeObject): number {
  const { spec } = object as KubeObject & { readonly spec?: { readonly renewTime?: string | null } };
  const at = Date.parse(spec?.renewTime ?? "");
  return Number.isNaN(at) ? 0 : at;
}

/** A Lease as it is seen now, given how it was seen before. */
export function leaseSeen(object: KubeObject, before: LeaseFacts | undefined, nowMs: number): LeaseFacts {
  const at = renewedAt(object);
  if (before?.renewedAt === at) return before;
  const isOld = before === undefined && nowMs - at > firstSightMs;
  return { renewedAt: at, seenAt: isOld ? at : nowMs };
}

/** Why a volume that is not done may stand still, as the cluster around it shows. */
export function causesOf(volume: VolumeObject, facts: Facts, nowMs: number): readonly StallCause[] {
  if (
    isVolumeEnded(volume.status) ||
    volume.kind === "VolumePluginBackup" ||
    volume.kind === "VolumePluginRestore"
  )
    return [];
  const causes = new Set<StallCause>();
  const node = nodeOf(volume, facts);
  if (!hasAgent(node, facts, nowMs)) causes.add("agent-missing");
  if (node !== undefined && facts.nodes && facts.nodes.get(node) !== true) causes.add("node-not-ready");
  for (const pod of podsOf(volume, facts)) {
    const cause = podCause(pod);
    if (cause) causes.add(cause);
  }
  return [...causes];
}

/** Unknown facts are no evidence: then there is one. */
function hasAgent(node: string | undefined, { pods, agents }: Facts, nowMs: number): boolean {
  if (!pods || !agents) return true;
  const lives = (lease: LeaseFacts | undefined) => lease !== undefined && nowMs - lease.seenAt < leaseTrustMs;
  const lease = node === undefined ? undefined : agents.get(node);
  if (lives(lease)) return true;
  if (node === undefined && [...agents.values()].some(lives)) return true;
  for (const pod of pods.values()) {
    if (!pod.isAgent || pod.phase !== "Running" || (node !== undefined && pod.node !== node)) continue;
    // One that renewed the Lease and does so no more is frozen; one that started later is another, upstream's perhaps.
    if (lease === undefined || (pod.startedAt ?? 0) > lease.renewedAt) return true;
  }
  return false;
}

function nodeOf(volume: VolumeObject, facts: Facts): string | undefined {
  const status = volume.status as { readonly node?: string } | undefined; // data movers tell it there
  if (volume.kind === "PodVolumeBackup") return volume.spec?.node || undefined;
  if (status?.node) return status.node;
  return podsOf(volume, facts).find((pod) => pod.node)?.node;
}

/** The pod that a volume is restored into, and the one that its upstream mover runs in (it has the object's name). */
function podsOf(volume: VolumeObject, { pods }: Facts): readonly PodFacts[] {
  const { namespace = "", name } = volume.metadata;
  const keys = [`${namespace}/${name}`];
  if (volume.kind === "PodVolumeRestore") {
    keys.unshift(`${volume.spec?.pod.namespace ?? ""}/${volume.spec?.pod.name ?? ""}`);
  }
  return keys.flatMap((key) => pods?.get(key) ?? []);
}

function podCause(pod: PodFacts): StallCause | undefined {
  if (pod.phase === "Failed") return "mover-gone";
  // A pod whose first container waits for its volumes is pending to Kubernetes, and at work to us.
  if (pod.phase !== "Pending" || pod.works) return undefined;
  if (pod.waits.some((reason) => imageFaults.test(reason))) return "image-pull";
  return pod.unscheduled !== undefined && /persistentvolumeclaim|unbound/i.test(pod.unscheduled)
    ? "volume-not-bound"
    : "pod-pending";
}
