import type { KubeObject } from "../../api/index.ts";
import type { Client, Resource } from "../../kube/index.ts";
import { type Json, recordOf } from "./args.ts";
import {
  type ConfigMapObject,
  type PodObject,
  resources,
  type SecretObject,
  type WorkloadObject,
} from "./core-objects.ts";
import type { ActionParams, WorkloadParams } from "./params.ts";
import { resolveProfile } from "./profile.ts";
import { read } from "./read-object.ts";
import type { Reference } from "./status.ts";
import type { ActionSpec } from "./validate.ts";

type Reader = Pick<Client, "get" | "list">;

const workloads = {
  statefulset: { kind: "StatefulSet", resource: resources.statefulSets },
  deployment: { kind: "Deployment", resource: resources.deployments },
  deploymentconfig: { kind: "DeploymentConfig", resource: resources.deploymentConfigs },
} as const;

/** Reads everything that the templates of an action may ask for, before its first phase. */
export async function resolveAction(
  client: Reader,
  action: ActionSpec,
  time: string,
  signal: AbortSignal,
): Promise<ActionParams> {
  const { object, ...target } = await resolveObject(client, action.object ?? {}, signal);
  const [secrets, configMaps, profile] = await Promise.all([
    readAll<SecretObject>(client, resources.secrets, action.secrets ?? {}, signal),
    readAll<ConfigMapObject>(client, resources.configMaps, action.configMaps ?? {}, signal),
    action.profile?.name ? resolveProfile(client, action.profile, signal) : undefined,
  ]);
  return {
    ...target,
    object,
    secrets,
    configMaps,
    profile,
    time,
    artifactsIn: action.artifacts ?? {},
    options: action.options ?? {},
    podOverride: action.podOverride ?? {},
    podLabels: action.podLabels ?? {},
    podAnnotations: action.podAnnotations ?? {},
    phases: {},
  };
}

/** The Secrets and ConfigMaps of a phase, already named; other kinds are not read. */
export async function resolveObjects(
  client: Reader,
  objects: Readonly<Record<string, Reference>>,
  signal: AbortSignal,
): Promise<{ secrets: Record<string, SecretObject>; configMaps: Record<string, ConfigMapObject> }> {
  const of = (kind: string) =>
    Object.fromEntries(Object.entries(objects).filter(([, one]) => (one.kind ?? "").toLowerCase() === kind));
  const [secrets, configMaps] = await Promise.all([
    readAll<SecretObject>(client, resources.secrets, of("secret"), signal),
    readAll<ConfigMapObject>(client, resources.configMaps, of("configmap"), signal),
  ]);
  return { secrets, configMaps };
}

/** The endpoint that a reference means. */
export function resourceOfReference(reference: Reference): Resource {
  const { group = "", apiVersion = "", resource = "", kind = "", namespace = "" } = reference;
  // People write the group into the version as well.
  const [version = "", inVersion = ""] = apiVersion.split("/").toReversed();
  return {
    group: group.replace(/\/+$/, "") || inVersion,
    version,
    plural: resource.toLowerCase(),
    kind: kind || resource,
    namespaced: namespace !== "",
  };
}

async function resolveObject(
  client: Reader,
  reference: Reference,
  signal: AbortSignal,
): Promise<Pick<ActionParams, "object" | "workload" | "claim" | "space">> {
  const { name = "", namespace = "" } = reference;
  const kind = (reference.kind ?? "").toLowerCase();
  const of = (resource: Resource) => read<KubeObject>(client, resource, { name, namespace }, signal);
  if (Object.hasOwn(workloads, kind)) {
    const { kind: title, resource } = workloads[kind as keyof typeof workloads]; // just looked up
    const object = (await of(resource)) as WorkloadObject;
    return { object: plain(object), workload: await resolveWorkload(client, title, object, signal) };
  }
  if (kind === "pvc" || kind === "persistentvolumeclaim") {
    return { object: plain(await of(resources.claims)), claim: { name, namespace } };
  }
  if (kind === "namespace") {
    const object = await read<KubeObject>(client, resources.namespaces, { name }, signal);
    return { object: plain(object), space: { name: namespace || name, namespace: namespace || name } };
  }
  return { object: plain(await of(resourceOfReference(reference))) };
}

/** A workload with its running pods and their claims. */
async function resolveWorkload(
  client: Reader,
  kind: WorkloadParams["kind"],
  workload: WorkloadObject,
  signal: AbortSignal,
): Promise<WorkloadParams> {
  const { name, namespace = "" } = workload.metadata;
  const running = (await podsOf(client, kind, workload, signal)).filter(
    (pod) => pod.status?.phase === "Running" && pod.metadata.deletionTimestamp === undefined,
  );
  const pods = running.toSorted((a, b) => compareNames(a.metadata.name, b.metadata.name));
  return {
    kind,
    name,
    namespace,
    pods: pods.map((pod) => pod.metadata.name),
    containers: pods.map((pod) => (pod.status?.containerStatuses ?? []).map((one) => one.name).toSorted()),
    claims: Object.fromEntries(pods.map((pod) => [pod.metadata.name, claimsOf(pod)])),
  };
}

/** Every pod of a workload's present generation, whatever its phase. */
export async function podsOf(
  client: Reader,
  kind: WorkloadParams["kind"],
  workload: WorkloadObject,
  signal: AbortSignal,
): Promise<PodObject[]> {
  const owner = await ownerOfPods(client, kind, workload, signal);
  if (owner === undefined) return [];
  const { namespace } = workload.metadata;
  const pods = await client.list<PodObject>(
    resources.pods,
    { namespace, labelSelector: selectorOf(workload) },
    signal,
  );
  return pods.filter(({ metadata }) => metadata.ownerReferences?.some(({ uid }) => uid === owner));
}

/** Mount path by claim; of two paths of one claim the first counts. */
export function claimsOf(pod: PodObject): Record<string, string> {
  const found: Record<string, string> = {};
  for (const { name, persistentVolumeClaim } of pod.spec?.volumes ?? []) {
    if (!persistentVolumeClaim) continue;
    const mount = (pod.spec?.containers ?? [])
      .flatMap(({ volumeMounts = [] }) => volumeMounts)
      .find((one) => one.name === name);
    if (mount) found[persistentVolumeClaim.claimName] ??= mount.mountPath;
  }
  return found;
}

async function ownerOfPods(
  client: Reader,
  kind: WorkloadParams["kind"],
  workload: WorkloadObject,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (kind === "StatefulSet") return workload.metadata.uid;
  const { namespace, uid } = workload.metadata;
  const isDeployment = kind === "Deployment";
  const sets = await client.list<KubeObject>(
    isDeployment ? resources.replicaSets : resources.replicationControllers,
    { namespace, labelSelector: isDeployment ? selectorOf(workload) : undefined },
    signal,
  );
  const key = isDeployment
    ? "deployment.kubernetes.io/revision"
    : "openshift.io/deployment-config.latest-version";
  const wanted = isDeployment
    ? workload.metadata.annotations?.[key]
    : String(workload.status?.latestVersion ?? "");
  return sets.find(
    ({ metadata }) =>
      metadata.ownerReferences?.some((owner) => owner.uid === uid) && metadata.annotations?.[key] === wanted,
  )?.metadata.uid;
}

function selectorOf({ spec }: WorkloadObject): string | undefined {
  const { matchLabels } = recordOf(spec?.selector);
  const pairs = Object.entries(recordOf(matchLabels)).map(([key, value]) => `${key}=${String(value)}`);
  return pairs.length > 0 ? pairs.join(",") : undefined;
}

async function readAll<T extends KubeObject>(
  client: Reader,
  resource: Resource,
  references: Readonly<Record<string, Reference>>,
  signal: AbortSignal,
): Promise<Record<string, T>> {
  const entries = Object.entries(references).map(async ([key, { name = "", namespace = "" }]) => {
    return [key, await read<T>(client, resource, { name, namespace }, signal)] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

function plain(object: KubeObject): Json {
  return object as unknown as Json; // an object of the API is JSON
}

/** db-2 before db-10. */
function compareNames(a: string, b: string): number {
  return a.localeCompare(b, "en", { numeric: true });
}
