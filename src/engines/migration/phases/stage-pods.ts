import type { KubeObject } from "../../../api/index.ts";
import { AppError } from "../../../errors.ts";
import type { MigDetail } from "../../../kinds/index.ts";
import { isForbidden, isInvalid, type Resource } from "../../../kube/index.ts";
import { labels } from "../names.ts";
import {
  advance,
  type Cluster,
  type Handler,
  type Outcome,
  planNamespaces,
  type Run,
  remark,
  untilNone,
} from "../run.ts";
import {
  type Claim,
  copiedClaims,
  namespacesOf,
  type Pod,
  type PodSpec,
  resources,
  type Workload,
} from "../shapes.ts";
import { type Candidate, missingStagePods, orphanCandidate } from "../stage-pod.ts";
import { all, ensure, find, keyOf, remove } from "../tolerate.ts";

const stageSelector = `${labels.isStagePod}=True`;

/** Workloads whose templates may name claims. */
const templated: readonly Resource[] = [
  resources.deployments,
  resources.deploymentConfigs,
  resources.replicationControllers,
  resources.daemonSets,
  resources.statefulSets,
  resources.replicaSets,
  resources.cronJobs,
  resources.jobs,
];

/** A stage pod for each running pod with claims to copy, on the same node. */
export const fromRunning: Handler = async (run, signal) => {
  const pods = await inNamespaces<Pod>(run, resources.pods, signal);
  const live = pods.filter(
    ({ metadata, status }) =>
      metadata.labels?.[labels.isStagePod] === undefined &&
      metadata.deletionTimestamp === undefined &&
      status?.phase !== "Succeeded" &&
      status?.phase !== "Failed",
  );
  return make(run, live.map(candidateOf), signal);
};

/** A stage pod for each workload with claims to copy that no running pod showed. */
export const fromTemplates: Handler = async (run, signal) => {
  const found: Candidate[] = [];
  for (const resource of templated) {
    for (const workload of await inNamespaces<Workload>(run, resource, signal)) {
      const spec = workload.spec?.template?.spec ?? workload.spec?.jobTemplate?.spec?.template?.spec;
      if (spec)
        found.push({ namespace: workload.metadata.namespace ?? "", name: workload.metadata.name, spec });
    }
  }
  return make(run, found, signal);
};

/** A stage pod for each claim to copy that nothing uses. */
export const fromOrphans: Handler = async (run, signal) => {
  const claims = await inNamespaces<Claim>(run, resources.claims, signal);
  const held = new Set((await stagePods(run, run.source, signal)).flatMap(claimKeys));
  const wanted = copiedClaims(run.plan);
  const orphans = claims.filter(
    (claim) => claim.status?.phase === "Bound" && wanted.has(keyOf(claim)) && !held.has(keyOf(claim)),
  );
  const unheld = [...wanted].filter((key) => !held.has(key) && !orphans.some((one) => keyOf(one) === key));
  if (unheld.length > 0 && !run.settings.acceptMissing) {
    const errors = unheld.map((key) => {
      const phase = claims.find((claim) => keyOf(claim) === key)?.status?.phase;
      const state = phase === undefined ? "is not there" : `is ${phase}`;
      return `PersistentVolumeClaim ${key}: cannot be copied, it ${state} on cluster ${run.source.name}. Mend it, or refresh the plan or let it skip the volume.`;
    });
    return { do: "fail", errors };
  }
  return make(
    run,
    orphans.map(({ metadata }) => orphanCandidate(metadata.namespace ?? "", metadata.name)),
    signal,
  );
};

/** Waits until every stage pod runs; says why one does not, and fails when it never can. */
export const stagePodsRunning: Handler = async (run, signal) => {
  const pods = await stagePods(run, run.source, signal);
  const idle = pods.filter(({ status }) => status?.phase !== "Running");
  const faults = (await Promise.all(idle.map((pod) => claimFaults(run, pod, signal)))).flat();
  const broken = idle.filter(({ status }) => status?.phase === "Failed" || status?.phase === "Unknown");
  const details = [...idle, ...pods.filter((pod) => !idle.includes(pod))].flatMap((pod) =>
    podDetails(run.source, pod),
  );
  const report = { details: [...details, ...(await warningsOf(run.source, idle, signal))] };
  const errors = [...faults, ...broken.map((pod) => `Pod ${keyOf(pod)}: ${pod.status?.phase}`)];
  if (errors.length > 0) return { do: "fail", errors, report };
  if (idle.length === 0) return { do: "advance", report };
  return { do: "wait", report, progress: `${pods.length - idle.length}/${pods.length} stage pods running` };
};

/** How long pods that took volumes may tidy up in them; one that cannot is deleted all the same. */
const tidyMs = 30_000;

/** Deletes stage pods; where a run is undone no later phase waits for their end, so that this one does. */
export const stagePodsDeleted: Handler = async (run, signal) => {
  const itinerary = run.migration.status?.itinerary;
  const isUndone = itinerary === "Cancel" || itinerary === "Failed" || itinerary === "Rollback";
  const busy = isUndone || run.now - run.since >= tidyMs ? [] : await tidyingPods(run, signal);
  if (busy.length > 0) {
    return untilNone(busy.map((pod) => remark("Pod", pod, "takes the restore's marks out of its volumes")));
  }
  await deleteStagePods(run, signal);
  return isUndone ? stagePodsTerminated(run, signal) : advance;
};

/** The first container of a restored pod ends when it has seen the marks of its restore in the volumes and removed them. */
async function tidyingPods(run: Run, signal: AbortSignal): Promise<readonly Pod[]> {
  const pods = await stagePods(run, run.destination, signal);
  return pods.filter(
    ({ metadata, status }) =>
      metadata.deletionTimestamp === undefined &&
      status?.initContainerStatuses?.some(({ state }) => state?.running !== undefined),
  );
}

export const stagePodsTerminated: Handler = async (run, signal) => {
  const outcome = untilNone(await leftStagePods(run, signal));
  return outcome.do === "advance" ? { ...outcome, marks: { StagePodsCreated: undefined } } : outcome;
};

/** The stage pods in the plan's namespaces of a cluster, whichever run made them. */
export async function stagePods(run: Run, cluster: Cluster, signal: AbortSignal): Promise<readonly Pod[]> {
  const lists = await Promise.all(
    planNamespaces(run, cluster).map((namespace) =>
      all<Pod>(cluster.client, resources.pods, { namespace, labelSelector: stageSelector }, signal),
    ),
  );
  return lists.flat();
}

export async function deleteStagePods(run: Run, signal: AbortSignal): Promise<void> {
  for (const cluster of [run.source, run.destination]) {
    for (const pod of await stagePods(run, cluster, signal)) {
      if (pod.metadata.deletionTimestamp === undefined)
        await remove(cluster.client, resources.pods, pod, signal);
    }
  }
}

/** The stage pods that are still there. */
export async function leftStagePods(run: Run, signal: AbortSignal): Promise<readonly MigDetail[]> {
  const lists = await Promise.all(
    [run.source, run.destination].map(async (cluster) =>
      (await stagePods(run, cluster, signal)).map(leaving),
    ),
  );
  return lists.flat();
}

/** A pod that is on its way out. */
export function leaving(pod: Pod): MigDetail {
  const { deletionTimestamp } = pod.metadata;
  if (deletionTimestamp === undefined) return remark("Pod", pod, pod.status?.phase ?? "Pending");
  return { ...remark("Pod", pod, "Terminating"), startedAt: deletionTimestamp };
}

/** What a pod says of itself: one word, or one sentence per container that waits. */
export function podWords(pod: Pod): readonly string[] {
  if (pod.status?.phase === "Running") return ["Running"];
  const waits = (pod.status?.containerStatuses ?? []).flatMap(({ name, state }) => {
    const { reason = "", message = "" } = state?.waiting ?? {};
    const words = message || reason;
    return words === "" ? [] : [`Container ${name} ${words}`];
  });
  const unscheduled = pod.status?.conditions?.find(
    ({ type, status }) => type === "PodScheduled" && status === "False",
  );
  if (unscheduled?.message) return [unscheduled.message];
  const init = (pod.status?.initContainerStatuses ?? []).some(({ state }) => state?.waiting);
  if (waits.length === 0 && init) return ["init container failed to finish"];
  return waits.length > 0 ? waits : [pod.status?.phase ?? "Pending"];
}

/** Warnings that the cluster itself gives about objects: the newest of each reason, five at most. */
export async function warningsOf(
  cluster: Cluster,
  objects: readonly KubeObject[],
  signal: AbortSignal,
): Promise<readonly MigDetail[]> {
  interface EventObject extends KubeObject {
    readonly type?: string;
    readonly reason?: string;
    readonly message?: string;
    readonly lastTimestamp?: string | null;
    readonly involvedObject?: { readonly uid?: string };
  }
  const byUid = new Map(objects.map((object) => [object.metadata.uid ?? "", object]));
  const found: { readonly at: string; readonly told: MigDetail; readonly key: string }[] = [];
  for (const namespace of new Set(objects.map(({ metadata }) => metadata.namespace))) {
    for (const event of await all<EventObject>(cluster.client, resources.events, { namespace }, signal)) {
      const object = byUid.get(event.involvedObject?.uid ?? "-");
      if (!object || event.type !== "Warning") continue;
      const told = remark("Event", object, `${event.reason ?? ""} - ${event.message ?? ""}`);
      found.push({ at: event.lastTimestamp ?? "", told, key: `${keyOf(object)} ${event.reason}` });
    }
  }
  const newest = new Map(found.toSorted((a, b) => (a.at < b.at ? -1 : 1)).map((one) => [one.key, one]));
  return [...newest.values()]
    .toSorted((a, b) => (a.at < b.at ? 1 : -1))
    .slice(0, 5)
    .map(({ told }) => told);
}

/** How far a pod is; where it has more to say than one sentence, the rest are remarks. */
function podDetails(cluster: Cluster, pod: Pod): readonly MigDetail[] {
  const [first = "", ...more] = podWords(pod);
  const detail = {
    kind: "Pod",
    namespace: pod.metadata.namespace ?? "",
    name: pod.metadata.name,
    cluster: cluster.name,
    state: pod.status?.phase === "Running" ? "completed" : "running",
    message: first,
  };
  return [detail, ...more.map((words) => remark("Pod", pod, words))];
}

async function make(run: Run, candidates: readonly Candidate[], signal: AbortSignal): Promise<Outcome> {
  const { source, uid, plan } = run;
  const existing = await stagePods(run, source, signal);
  const image = await stageImageOf(run, source, signal);
  const options = { uid, planUid: plan.metadata.uid ?? "", image, claims: copiedClaims(plan) };
  const missing = missingStagePods(candidates, existing, options);
  for (const pod of missing) {
    try {
      await ensure(source.client, resources.pods, pod, signal);
    } catch (error) {
      // A policy or a quota says no; it will say so again.
      if (!isForbidden(error) && !isInvalid(error)) throw error;
      const words = error instanceof AppError ? error.message : String(error);
      return { do: "fail", errors: [`Pod ${keyOf(pod)}: ${words}`] };
    }
  }
  const count = existing.length + missing.length;
  return {
    do: "advance",
    report: { details: missing.map((pod) => remark("Pod", pod, "Created")) },
    ...(count > 0 && { marks: { StagePodsCreated: `[${count}] Stage pods created.` } }),
  };
}

/** The image of stage pods on a cluster: its own setting, or the operator's. */
export async function stageImageOf(run: Run, cluster: Cluster, signal: AbortSignal): Promise<string> {
  const name = "migration-cluster-config";
  const config = await find<KubeObject & { readonly data?: Readonly<Record<string, string>> }>(
    cluster.client,
    resources.configMaps,
    name,
    cluster.namespace,
    signal,
  );
  return config?.data?.["STAGE_IMAGE"] || run.stageImage;
}

async function claimFaults(run: Run, pod: Pod, signal: AbortSignal): Promise<readonly string[]> {
  const namespace = pod.metadata.namespace ?? "";
  const faults: string[] = [];
  for (const { persistentVolumeClaim } of pod.spec?.volumes ?? []) {
    if (!persistentVolumeClaim) continue;
    const name = persistentVolumeClaim.claimName;
    const claim = await find<Claim>(run.source.client, resources.claims, name, namespace, signal);
    const words = !claim
      ? "not-found."
      : claim.metadata.deletionTimestamp
        ? "deleted."
        : claim.status?.phase === "Bound"
          ? undefined
          : "not bound.";
    if (words) faults.push(`PVC: ${namespace}/${name}, ${words}`);
  }
  return faults;
}

async function inNamespaces<T extends KubeObject>(
  run: Run,
  resource: Resource,
  signal: AbortSignal,
): Promise<readonly T[]> {
  const lists = await Promise.all(
    namespacesOf(run.plan).map(({ source }) =>
      all<T>(run.source.client, resource, { namespace: source }, signal),
    ),
  );
  return lists.flat();
}

function candidateOf({ metadata, spec = {} }: Pod): Candidate {
  return { namespace: metadata.namespace ?? "", name: metadata.name, spec };
}

function claimKeys({
  metadata,
  spec,
}: {
  readonly metadata: Pod["metadata"];
  readonly spec?: PodSpec;
}): readonly string[] {
  return (spec?.volumes ?? []).flatMap(({ persistentVolumeClaim }) =>
    persistentVolumeClaim ? [`${metadata.namespace}/${persistentVolumeClaim.claimName}`] : [],
  );
}
