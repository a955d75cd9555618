import type { KubeObject } from "../../../api/index.ts";
import type { MigDetail } from "../../../kinds/index.ts";
import type { Resource } from "../../../kube/index.ts";
import { type Change, quiesce, unquiesce } from "../quiesce.ts";
import type { Handler, Run } from "../run.ts";
import { remark, untilNone } from "../run.ts";
import { namespacesOf, type Pod, resources, type Workload } from "../shapes.ts";
import { all, change } from "../tolerate.ts";
import { leaving } from "./stage-pods.ts";

/** In this order, so that nothing starts what was stopped before. */
const stopped: readonly Resource[] = [
  resources.cronJobs,
  resources.deploymentConfigs,
  resources.deployments,
  resources.statefulSets,
  resources.replicaSets,
  resources.daemonSets,
  resources.jobs,
];
const owners = ["ReplicationController", "StatefulSet", "ReplicaSet", "DaemonSet", "Job"];

export const quiesceAll: Handler = (run, signal) => each(run, quiesce, signal);
export const unquiesceAll: Handler = (run, signal) => each(run, unquiesce, signal);

/** Waits until no workload has a live pod. */
export const quiesced: Handler = async (run, signal) => {
  const left: MigDetail[] = [];
  for (const { source } of namespacesOf(run.plan)) {
    for (const pod of await all<Pod>(run.source.client, resources.pods, { namespace: source }, signal)) {
      if (isLive(pod) && isOwned(pod)) left.push(leaving(pod));
    }
  }
  return untilNone(left);
};

async function each(run: Run, decide: (workload: Workload) => Change | undefined, signal: AbortSignal) {
  const details: MigDetail[] = [];
  for (const resource of stopped) {
    for (const { source } of namespacesOf(run.plan)) {
      for (const found of await all<Workload>(run.source.client, resource, { namespace: source }, signal)) {
        // The items of a list do not say their kind.
        const workload = { ...found, kind: resource.kind };
        const todo = decide(workload);
        if (!todo) continue;
        await change(run.source.client, resource, workload, todo.patch, signal);
        details.push(remark(resource.kind, workload, todo.words));
      }
    }
  }
  return { do: "advance", report: { details } } as const;
}

function isLive({ status }: Pod): boolean {
  return !["Succeeded", "Failed", "Unknown"].includes(status?.phase ?? "");
}

function isOwned({ metadata }: KubeObject): boolean {
  return metadata.ownerReferences?.some(({ kind }) => owners.includes(kind)) === true;
}
