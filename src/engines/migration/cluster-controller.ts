import type { KubeObject, MigCluster } from "../../api/index.ts";
import { builtIn, type Client, isForbidden, isUnauthorized, type Outcome } from "../../kube/index.ts";
import type { Clusters } from "./clusters.ts";
import { critical, isBlocked, required, type Wanted } from "./conditions.ts";
import type { Cluster } from "./run.ts";
import { expiryFault } from "./token-expiry.ts";

/** How long a cluster may take to answer. */
const answerMs = 15_000;

/** What holds about a cluster, and when to look again. */
export async function lookAtCluster(
  clusters: Clusters,
  cluster: MigCluster,
  nowMs: number,
  signal: AbortSignal,
): Promise<{ readonly wanted: readonly Wanted[]; readonly again: Outcome }> {
  const opened = await clusters.open(cluster, signal);
  const isHost = cluster.spec?.isHostCluster === true;
  const faults = "type" in opened ? [opened] : await look(opened, isHost, nowMs, signal);
  if (isBlocked(faults)) return { wanted: faults, again: { againAfterMs: 10_000 } };
  return {
    wanted: [...faults, required("Ready", undefined, "The cluster is ready.")],
    again: { againAfterMs: 60_000 },
  };
}

/** A token that has ended is not worth the question; one that will is worth a word. */
async function look(
  opened: Cluster,
  isHost: boolean,
  nowMs: number,
  signal: AbortSignal,
): Promise<readonly Wanted[]> {
  const expiry = expiryFault(opened.name, opened.tokenEnds, nowMs);
  if (expiry?.category === "Critical") return [expiry];
  return [...(expiry ? [expiry] : []), ...(await reach(opened, isHost, signal))];
}

/** What a migration does with any kind of object. */
const verbs = ["list", "create", "patch", "delete"];

async function reach(
  { client, name }: Cluster,
  isHost: boolean,
  signal: AbortSignal,
): Promise<readonly Wanted[]> {
  const limited = AbortSignal.any([signal, AbortSignal.timeout(answerMs)]);
  try {
    await client.version(limited);
    const missing = await refused(client, limited);
    if (missing.length === 0) return [];
    const who = isHost ? "the operator" : `the token of cluster "${name}"`;
    const how = isHost ? "; `headway install --migration-rights=cluster` gives it these rights" : "";
    const words = `${who} may not ${missing.join(", ")} every kind of object ${isHost ? "here" : "there"}${how}`;
    return [critical("SaTokenNotPrivileged", "Unauthorized", words)];
  } catch (error) {
    signal.throwIfAborted();
    const words = limited.aborted
      ? `cluster "${name}" does not answer within ${answerMs / 1000} s`
      : error instanceof Error
        ? error.message
        : String(error);
    if (isUnauthorized(error) || isForbidden(error)) {
      const hint = `"headway cluster renew ${name} --from-kubeconfig FILE" makes a new token`;
      return [critical("SaTokenNotPrivileged", "Unauthorized", `${words}; ${hint}`)];
    }
    return [critical("TestConnectFailed", "ConnectFailed", words)];
  }
}

async function refused(client: Client, signal: AbortSignal): Promise<readonly string[]> {
  const missing: string[] = [];
  for (const verb of verbs) {
    const review = {
      apiVersion: "authorization.k8s.io/v1",
      kind: "SelfSubjectAccessReview",
      spec: { resourceAttributes: { verb, group: "*", resource: "*" } },
    };
    const answer = await client.create<KubeObject & { readonly status?: { readonly allowed?: boolean } }>(
      builtIn.selfSubjectAccessReviews,
      review,
      {},
      signal,
    );
    if (answer.status?.allowed !== true) missing.push(verb);
  }
  return missing;
}
