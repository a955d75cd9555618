import { mapAt, textAt } from "../object.ts";
import { type Controller, keyOf, ownerKeys } from "./controller.ts";
import { adopt, createPod, deletePod, isActive, isReady, podsOf, setStatus, templateHash } from "./pods.ts";

/** Keeps one pod on every node (there is one, or none). */
export const daemonSets: Controller = {
  name: "daemonsets",
  watches: {
    "daemonsets.apps": (o) => [keyOf(o)],
    pods: ownerKeys("daemonsets.apps", "DaemonSet"),
  },
  reconcile(api, namespace, name) {
    const set = api.read("daemonsets.apps", namespace, name);
    if (!set || set.metadata.deletionTimestamp !== undefined) return;
    const nodes = api.readAll("nodes");
    const hash = templateHash(mapAt(set.spec, "template"));
    adopt(api, "pods", "daemonsets.apps", set);
    const pods = podsOf(api, set);
    for (const pod of pods) {
      const stale = pod.metadata.labels?.["controller-revision-hash"] !== hash;
      if (pod.metadata.deletionTimestamp === undefined && (stale || !isActive(pod))) {
        deletePod(api, set, pod);
      }
    }
    const running = podsOf(api, set);
    if (running.length === 0)
      for (const _node of nodes)
        createPod(api, "daemonsets.apps", set, { labels: { "controller-revision-hash": hash } });
    const now = podsOf(api, set).filter(isActive);
    const ready = now.filter(isReady).length;
    const scheduled = now.filter((p) => textAt(p.spec, "nodeName") !== undefined).length;
    setStatus(api, "daemonsets.apps", set, {
      currentNumberScheduled: scheduled,
      numberMisscheduled: 0,
      desiredNumberScheduled: nodes.length,
      numberReady: ready,
      updatedNumberScheduled: scheduled,
      ...(ready > 0 && { numberAvailable: ready }),
      observedGeneration: set.metadata.generation,
    });
  },
};
