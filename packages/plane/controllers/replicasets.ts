import type { KubeObject } from "../object.ts";
import { type Controller, keyOf, ownerKeys } from "./controller.ts";
import { adopt, createPod, deletePod, isActive, isReady, podsOf, setStatus, wanted } from "./pods.ts";

/** Keeps as many pods as a ReplicaSet wants. */
export const replicaSets: Controller = {
  name: "replicasets",
  watches: { "replicasets.apps": (o) => [keyOf(o)], pods: ownerKeys("replicasets.apps", "ReplicaSet") },
  reconcile(api, namespace, name) {
    const set = api.read("replicasets.apps", namespace, name);
    if (!set || set.metadata.deletionTimestamp !== undefined) return;
    adopt(api, "pods", "replicasets.apps", set);
    const active = podsOf(api, set).filter(isActive);
    for (let i = active.length; i < wanted(set); i++) active.push(createPod(api, "replicasets.apps", set));
    for (const pod of surplus(active, wanted(set))) {
      deletePod(api, set, pod);
      active.splice(active.indexOf(pod), 1);
    }
    const ready = active.filter(isReady).length;
    setStatus(api, "replicasets.apps", set, {
      replicas: active.length,
      ...(active.length > 0 && { fullyLabeledReplicas: active.length }),
      ...(ready > 0 && { readyReplicas: ready, availableReplicas: ready }),
      observedGeneration: set.metadata.generation,
    });
  },
};

/** Which pods to give up: those that are not ready first, then the newest. */
function surplus(pods: readonly KubeObject[], replicas: number): KubeObject[] {
  const rank = (pod: KubeObject): string => `${isReady(pod) ? 1 : 0}${pod.metadata.creationTimestamp ?? ""}`;
  const byWorth = pods.toSorted((a, b) => {
    if (isReady(a) !== isReady(b)) return isReady(a) ? 1 : -1;
    return rank(a) < rank(b) ? 1 : -1;
  });
  return byWorth.slice(0, Math.max(0, pods.length - replicas));
}
