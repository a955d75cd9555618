import type { Api } from "../api.ts";
import { isMap, type JsonMap, type KubeObject, listAt, mapAt, textAt } from "../object.ts";
import { type Controller, keyOf, ownerKeys } from "./controller.ts";
import { adopt, createPod, deletePod, isReady, podsOf, setStatus, templateHash, wanted } from "./pods.ts";

const hashLabel = "controller-revision-hash";

/** Keeps numbered pods, each with claims of its own; one at a time unless the policy says Parallel. */
export const statefulSets: Controller = {
  name: "statefulsets",
  watches: { "statefulsets.apps": (o) => [keyOf(o)], pods: ownerKeys("statefulsets.apps", "StatefulSet") },
  reconcile(api, namespace, name) {
    const set = api.read("statefulsets.apps", namespace, name);
    if (!set || set.metadata.deletionTimestamp !== undefined) return;
    adopt(api, "pods", "statefulsets.apps", set);
    const pods = podsOf(api, set);
    const revision = `${name}-${templateHash(mapAt(set.spec, "template"))}`;
    const step = next(set, pods, revision);
    for (const index of step.create) create(api, set, index, revision);
    for (const pod of step.remove) deletePod(api, set, pod);
    report(api, namespace, name, revision);
  },
};

function ordinal(pod: KubeObject): number {
  return Number(/-(\d+)$/.exec(pod.metadata.name)?.[1] ?? -1);
}

/** What to create and delete now; ordered sets wait for the pod before. */
export function next(
  set: KubeObject,
  pods: readonly KubeObject[],
  revision: string,
): { create: number[]; remove: KubeObject[] } {
  const replicas = wanted(set);
  const parallel = textAt(set.spec, "podManagementPolicy") === "Parallel";
  const finished = pods.filter((p) => ["Failed", "Succeeded"].includes(textAt(p.status, "phase") ?? ""));
  const living = finished.filter((p) => p.metadata.deletionTimestamp === undefined);
  if (living.length > 0) return { create: [], remove: living };
  const create: number[] = [];
  for (let i = 0; i < replicas; i++) {
    const pod = pods.find((p) => ordinal(p) === i);
    if (!pod) create.push(i);
    if (!parallel && (!pod || !isReady(pod) || pod.metadata.deletionTimestamp !== undefined)) break;
  }
  if (create.length > 0) return { create, remove: [] };
  const staying = pods
    .filter((p) => p.metadata.deletionTimestamp === undefined)
    .toSorted((a, b) => ordinal(b) - ordinal(a));
  const extra = staying.filter((p) => ordinal(p) >= replicas);
  if (extra.length > 0) return { create: [], remove: parallel ? extra : extra.slice(0, 1) };
  const settled = staying.length === replicas && pods.length === replicas && staying.every(isReady);
  const stale = staying.filter((p) => p.metadata.labels?.[hashLabel] !== revision);
  const rolls = mapAt(set.spec, "updateStrategy")["type"] !== "OnDelete";
  // A broken old revision is replaced without waiting for it to become ready.
  const broken = stale.filter((p) => !isReady(p));
  return {
    create: [],
    remove: rolls ? (broken.length > 0 ? broken.slice(0, 1) : settled ? stale.slice(0, 1) : []) : [],
  };
}

function create(api: Api, set: KubeObject, index: number, revision: string): void {
  const name = `${set.metadata.name}-${index}`;
  const volumes: JsonMap[] = [];
  for (const template of listAt(set.spec, "volumeClaimTemplates").filter(isMap)) {
    const volume = textAt(mapAt(template, "metadata"), "name") ?? "";
    const claimName = `${volume}-${name}`;
    claim(api, set, template, claimName);
    volumes.push({ name: volume, persistentVolumeClaim: { claimName } });
  }
  createPod(api, "statefulsets.apps", set, {
    name,
    labels: {
      "apps.kubernetes.io/pod-index": String(index),
      [hashLabel]: revision,
      "statefulset.kubernetes.io/pod-name": name,
    },
    ...(volumes.length > 0 && { volumes }),
    hostname: name,
    ...(textAt(set.spec, "serviceName") !== undefined && {
      subdomain: textAt(set.spec, "serviceName") ?? "",
    }),
  });
}

function claim(api: Api, set: KubeObject, template: JsonMap, name: string): void {
  const namespace = set.metadata.namespace ?? "";
  if (api.read("persistentvolumeclaims", namespace, name)) return;
  const meta = mapAt(template, "metadata");
  const labels = {
    ...(mapAt(mapAt(set.spec, "selector"), "matchLabels") as Record<string, string>),
    ...(mapAt(meta, "labels") as Record<string, string>),
  };
  api.create(api.resource("persistentvolumeclaims"), namespace, {
    kind: "PersistentVolumeClaim",
    apiVersion: "v1",
    metadata: { name, labels },
    spec: structuredClone(mapAt(template, "spec")),
  });
}

function report(api: Api, namespace: string, name: string, revision: string): void {
  const set = api.read("statefulsets.apps", namespace, name);
  if (!set) return;
  const pods = podsOf(api, set);
  const ready = pods.filter(isReady).length;
  const updated = pods.filter((p) => p.metadata.labels?.[hashLabel] === revision).length;
  const before = textAt(set.status, "currentRevision") ?? revision;
  const rolled = updated === wanted(set) && ready === wanted(set);
  setStatus(api, "statefulsets.apps", set, {
    observedGeneration: set.metadata.generation,
    replicas: pods.length,
    ...(ready > 0 && { readyReplicas: ready }),
    availableReplicas: ready,
    ...(updated > 0 && { updatedReplicas: updated, currentReplicas: updated }),
    currentRevision: rolled ? revision : before,
    updateRevision: revision,
    collisionCount: 0,
  });
}
