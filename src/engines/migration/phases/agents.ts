import { parseTimeMs } from "../../../api/index.ts";
import { advance, type Handler, type Run, remark, untilNone } from "../run.ts";
import { type Pod, resources, type Workload } from "../shapes.ts";
import { all, remove } from "../tolerate.ts";

/** Upstream's names of its node agents, the old one and the present one. */
const names = ["restic", "node-agent"];
const labelSelector = `name in (${names.join(",")})`;

/**
 * Restarts the node agents of the source, when its MigCluster says so. It is needed only where the kubelet does not show
 * new mounts to running pods: Kubernetes 1.9 and older.
 */
export const restartAgents: Handler = async (run, signal) => {
  if (!run.restartAgents) return advance;
  const old = (await agents(run, signal)).filter(
    ({ metadata }) => (parseTimeMs(metadata.creationTimestamp) ?? 0) < run.since,
  );
  for (const pod of old) await remove(run.source.client, resources.pods, pod, signal);
  return { do: "advance", report: { details: old.map((pod) => remark("Pod", pod, "Restarting")) } };
};

/** Waits until they are back. */
export const agentsRestarted: Handler = async (run, signal) => {
  if (!run.restartAgents) return advance;
  const { client, namespace } = run.source;
  const pods = (await agents(run, signal)).filter(
    ({ metadata, status }) => metadata.deletionTimestamp !== undefined || status?.phase !== "Running",
  );
  const sets = (await all<Workload>(client, resources.daemonSets, { namespace }, signal)).filter(
    ({ metadata, status }) =>
      names.includes(metadata.name) && (status?.numberReady ?? 0) < (status?.currentNumberScheduled ?? 0),
  );
  return untilNone([
    ...pods.map((pod) => remark("Pod", pod, "Restarting")),
    ...sets.map((set) => {
      const { numberReady = 0, currentNumberScheduled = 0 } = set.status ?? {};
      return remark("DaemonSet", set, `${numberReady}/${currentNumberScheduled} ready`);
    }),
  ]);
};

function agents({ source }: Run, signal: AbortSignal): Promise<readonly Pod[]> {
  return all<Pod>(source.client, resources.pods, { namespace: source.namespace, labelSelector }, signal);
}
