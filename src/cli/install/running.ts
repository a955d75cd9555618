import type { KubeObject } from "../../api/index.ts";
import { AppError } from "../../errors.ts";
import { builtIn, type Client, type Clock, sleep } from "../../kube/index.ts";

/** A Deployment or a DaemonSet, as far as it tells whether it runs. */
export interface Workload extends KubeObject {
  readonly spec?: { readonly replicas?: number };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly updatedReplicas?: number;
    readonly availableReplicas?: number;
    readonly desiredNumberScheduled?: number;
    readonly updatedNumberScheduled?: number;
    readonly numberAvailable?: number;
  };
}

interface Waiting {
  readonly state?: { readonly waiting?: { readonly reason?: string; readonly message?: string } };
}
interface Pod extends KubeObject {
  readonly status?: {
    readonly containerStatuses?: readonly Waiting[];
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly message?: string;
    }[];
  };
}

/** How many pods of a workload are up to date and available, and how many should be; undefined before its controller has looked at it. */
export function countsOf({
  kind,
  metadata,
  spec,
  status,
}: Workload): { ready: number; wanted: number } | undefined {
  if (!status || status.observedGeneration !== metadata.generation) return undefined;
  if (kind === "DaemonSet") {
    if (status.desiredNumberScheduled === undefined) return undefined;
    const ready = Math.min(status.updatedNumberScheduled ?? 0, status.numberAvailable ?? 0);
    return { ready, wanted: status.desiredNumberScheduled };
  }
  const ready = Math.min(status.updatedReplicas ?? 0, status.availableReplicas ?? 0);
  return { ready, wanted: spec?.replicas ?? 1 };
}

/** Why pods do not run, each reason once: what their containers wait for, or why no node takes them. */
export function reasonsOf(pods: readonly Pod[]): readonly string[] {
  const found = pods.flatMap(({ status }) => [
    ...(status?.containerStatuses ?? []).flatMap(({ state }) => {
      const { reason, message } = state?.waiting ?? {};
      if (reason === undefined || reason === "ContainerCreating" || reason === "PodInitializing") return [];
      return [message === undefined ? reason : `${reason}: ${message}`];
    }),
    ...(status?.conditions ?? []).flatMap(({ type, status: is, message }) =>
      type === "PodScheduled" && is === "False" && message !== undefined ? [`not scheduled: ${message}`] : [],
    ),
  ]);
  return [...new Set(found)];
}

/** Waits until the operator and the agents run; tells why they do not when the time is up. */
export async function waitUntilRuns(
  client: Client,
  { namespace, agent, limitMs, clock }: { namespace: string; agent: boolean; limitMs: number; clock: Clock },
  signal: AbortSignal,
): Promise<readonly string[]> {
  const until = clock.monotonic() + limitMs;
  const wanted = [
    [builtIn.deployments, "headway"] as const,
    ...(agent ? [[builtIn.daemonSets, "headway-agent"] as const] : []),
  ];
  const said: string[] = [];
  for (const [resource, name] of wanted) {
    for (;;) {
      const workload = await client.get<Workload>(resource, name, { namespace }, signal);
      const counts = countsOf({ ...workload, kind: resource.kind });
      if (counts && counts.ready >= counts.wanted) {
        said.push(`${resource.kind} ${name}: ${counts.ready} of ${counts.wanted} run`);
        break;
      }
      if (clock.monotonic() >= until) throw await notRunning(client, namespace, name, counts, signal);
      await sleep(clock, 500, signal);
    }
  }
  return said;
}

async function notRunning(
  client: Client,
  namespace: string,
  name: string,
  counts: ReturnType<typeof countsOf>,
  signal: AbortSignal,
): Promise<AppError> {
  const labelSelector = `app.kubernetes.io/name=${name}`;
  const pods = await client.list<Pod>(builtIn.pods, { namespace, labelSelector }, signal);
  const reasons = reasonsOf(pods);
  const many = counts ? `${counts.ready} of ${counts.wanted}` : "none";
  const why = reasons.length > 0 ? `: ${reasons.join("; ")}` : "";
  const look = `kubectl -n ${namespace} describe pod -l ${labelSelector}`;
  return new AppError(
    "INSTALL_NOT_RUNNING",
    `${many} of the pods of "${name}" run${why}; "${look}" tells more`,
  );
}
