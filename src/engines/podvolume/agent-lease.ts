import { type KubeObject, parseTimeMs, veleroPhaseOf } from "../../api/index.ts";
import { type Client, isNotFound, type Resource } from "../../kube/index.ts";
import { resources } from "./resources.ts";

/** How often an agent says that it lives, and how old its word may be; the distance leaves room for clocks that differ. */
export const leaseEveryMs = 10_000;
const leaseTrustMs = 120_000;

/** The Lease by which the agent of a node shows that it lives. */
export function leaseName(node: string): string {
  return `headway-agent-${node}`;
}

type Lease = KubeObject & { readonly spec?: { readonly renewTime?: string | null } };
type AgentPod = KubeObject & {
  readonly spec?: { readonly nodeName?: string };
  readonly status?: { readonly phase?: string };
};

/** Whether an agent works on a node: its Lease is fresh, or its pod (upstream's label) runs there. */
export async function agentLives(
  client: Pick<Client, "get" | "list">,
  where: { readonly namespace: string; readonly node: string; readonly nowMs: number },
  signal: AbortSignal,
): Promise<boolean> {
  const { namespace, node, nowMs } = where;
  const lease = await orNothing(client.get<Lease>(resources.leases, leaseName(node), { namespace }, signal));
  const renewed = parseTimeMs(lease?.spec?.renewTime);
  if (renewed !== undefined && nowMs - renewed < leaseTrustMs) return true;
  const query = { namespace, labelSelector: "role=node-agent" };
  const pods = await client.list<AgentPod>(resources.pods as Resource, query, signal);
  return pods.some((pod) => pod.spec?.nodeName === node && veleroPhaseOf(pod.status) === "Running");
}

/** Says that the agent lives. */
export async function renewLease(
  client: Pick<Client, "patch" | "create">,
  where: {
    readonly namespace: string;
    readonly node: string;
    readonly holder: string;
    readonly nowMs: number;
  },
  signal: AbortSignal,
): Promise<void> {
  const { namespace, node, holder, nowMs } = where;
  const name = leaseName(node);
  const spec = {
    holderIdentity: holder,
    leaseDurationSeconds: 40,
    renewTime: new Date(nowMs).toISOString().replace(/Z$/, "000Z"), // a MicroTime has six digits
  };
  try {
    await client.patch(resources.leases, name, { type: "merge", body: { spec } }, { namespace }, signal);
  } catch (error) {
    if (!isNotFound(error)) throw error;
    const lease = {
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata: { name, namespace },
      spec,
    };
    await client.create(resources.leases, lease, {}, signal);
  }
}

async function orNothing<T>(found: Promise<T>): Promise<T | undefined> {
  try {
    return await found;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
