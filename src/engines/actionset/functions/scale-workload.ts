import { AppError } from "../../../errors.ts";
import { patiently } from "../../../kube/index.ts";
import type { Sample } from "../../../progress/index.ts";
import { badArgument } from "../args.ts";
import { resources, type WorkloadObject } from "../core-objects.ts";
import type { WorkloadParams } from "../params.ts";
import { pause } from "../pod/job.ts";
import { read } from "../read-object.ts";
import { podsOf } from "../resolve.ts";
import type { Call, Func } from "./call.ts";

const endpoints = {
  statefulset: { kind: "StatefulSet", resource: resources.statefulSets },
  deployment: { kind: "Deployment", resource: resources.deployments },
  deploymentconfig: { kind: "DeploymentConfig", resource: resources.deploymentConfigs },
} as const;

/** ScaleWorkload: another number of replicas, and the wait until they are there (or gone). */
export const scaleWorkload: Func = async (call) => {
  const { args, deps, progress, signal } = call;
  const replicas = args.count("replicas");
  const target = targetOf(call);
  const { kind, resource, name, namespace } = target;
  const find = () =>
    patiently(
      () => read<WorkloadObject>(deps.client, resource, { name, namespace }, signal),
      deps.clock,
      signal,
    );
  const now = await find();
  // The count of before outlives a restart: after the change it can be read nowhere else.
  const kept = call.before?.output["originalReplicaCount"];
  const original = typeof kept === "number" ? kept : (now.spec?.replicas ?? 1);
  const output = { originalReplicaCount: original };
  progress.update({ step: `${original} to ${replicas} replicas` });
  await call.keep(output);
  await patiently(
    () =>
      deps.client.patch(
        resource,
        name,
        { type: "merge", body: { spec: { replicas } } },
        { namespace },
        signal,
      ),
    deps.clock,
    signal,
  );
  if (!args.flag("waitForReady", true)) return output;
  for (;;) {
    const there = await look(call, kind, await find());
    progress.update({
      progress: wayOf(original, replicas, there.count),
      step: `${there.count} of ${replicas} replicas ready`,
    });
    if (there.isReady(replicas)) return output;
    await pause(call);
  }
};

function targetOf({ args, params }: Call) {
  const { workload } = params;
  const kind = args.text("kind", workload?.kind ?? "").toLowerCase();
  const name = args.text("name", workload?.name);
  const namespace = args.text("namespace", workload?.namespace);
  if (name === "" || namespace === "" || kind === "") {
    throw badArgument(
      'function "ScaleWorkload" needs name, namespace and kind: the action is not for a workload',
    );
  }
  if (!Object.hasOwn(endpoints, kind)) {
    throw new AppError("ACTION_ARGUMENTS", `a workload of kind "${kind}" cannot be scaled`, { retry: false });
  }
  return { ...endpoints[kind as keyof typeof endpoints], name, namespace }; // just looked up
}

interface Seen {
  /** Pods that are as they should be, or still there when they should go. */
  readonly count: number;
  isReady(wanted: number): boolean;
}

async function look(call: Call, kind: WorkloadParams["kind"], workload: WorkloadObject): Promise<Seen> {
  const { deps, signal } = call;
  const { status = {}, metadata } = workload;
  const pods = await patiently(() => podsOf(deps.client, kind, workload, signal), deps.clock, signal);
  const alive = pods.filter(({ status: pod }) => pod?.phase !== "Succeeded" && pod?.phase !== "Failed");
  const running = alive.filter(({ status: pod }) => pod?.phase === "Running").length;
  const ready = Math.min(running, status.readyReplicas ?? 0);
  const isObserved = (status.observedGeneration ?? 0) >= (metadata.generation ?? 0);
  return {
    count: Math.max(
      ready,
      alive.length > ready && (workload.spec?.replicas ?? 0) < alive.length ? alive.length : ready,
    ),
    isReady(wanted) {
      if (!isObserved || alive.length !== wanted || running !== wanted) return false;
      if (kind === "StatefulSet") return (status.readyReplicas ?? 0) === wanted;
      return [status.replicas, status.updatedReplicas, status.availableReplicas].every(
        (one) => (one ?? 0) === wanted,
      );
    },
  };
}

/** How much of the way from one count to the other is done. */
function wayOf(from: number, to: number, now: number): Sample {
  if (from === to) return { unit: "steps", done: now === to ? 1 : 0, total: 1 };
  const total = Math.abs(to - from);
  const gone = (now - from) * Math.sign(to - from);
  return { unit: "steps", done: Math.max(0, Math.min(total, gone)), total };
}
