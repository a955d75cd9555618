import type { MigDetail } from "../../../kinds/index.ts";
import type { Resource } from "../../../kube/index.ts";
import { whyUnwell } from "../pod-health.ts";
import { type Handler, planNamespaces, remark, untilNone } from "../run.ts";
import { type Pod, resources, type Workload } from "../shapes.ts";
import { all, keyOf } from "../tolerate.ts";

const counted: readonly Resource[] = [
  resources.deployments,
  resources.deploymentConfigs,
  resources.statefulSets,
  resources.replicaSets,
  resources.replicationControllers,
  resources.daemonSets,
];

/** Waits until the migrated workloads are as many as they should be, or until one of their pods is found unwell. */
export const verify: Handler = async (run, signal) => {
  const { client, name } = run.destination;
  const details: MigDetail[] = [];
  const unhealthy: { readonly name: string; readonly workloads: { name: string; resources: string[] }[] }[] =
    [];
  for (const namespace of planNamespaces(run, run.destination)) {
    for (const resource of counted) {
      for (const workload of await all<Workload>(client, resource, { namespace }, signal)) {
        const { ready, wanted } = countOf(resource, workload);
        if (ready < wanted) details.push(remark(resource.kind, workload, `${ready}/${wanted} ready`));
      }
    }
    const sick = (await all<Pod>(client, resources.pods, { namespace }, signal)).filter(whyUnwell);
    if (sick.length === 0) continue;
    const resourcesOf = sick.map((pod) => `${keyOf(pod)}: ${whyUnwell(pod)}`);
    unhealthy.push({ name: namespace, workloads: [{ name: "Pods", resources: resourcesOf }] });
  }
  if (unhealthy.length > 0) {
    const message = `Cluster ${name} has unhealthy namespaces (${unhealthy.map((one) => one.name).join(", ")}), see status.namespaces.`;
    return {
      do: "advance",
      report: { details },
      unhealthy,
      warnings: [{ type: "UnhealthyNamespaces", reason: "ErrorsDetected", message }],
    };
  }
  return untilNone(details);
};

function countOf(
  resource: Resource,
  { spec, status }: Workload,
): { readonly ready: number; readonly wanted: number } {
  return resource === resources.daemonSets
    ? { ready: status?.numberReady ?? 0, wanted: status?.desiredNumberScheduled ?? 0 }
    : { ready: status?.readyReplicas ?? 0, wanted: spec?.replicas ?? 1 };
}
