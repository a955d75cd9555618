import type { KubeObject } from "../../api/index.ts";
import { builtIn, type Client, isForbidden, isNotFound } from "../../kube/index.ts";
import type { Survey } from "./checks.ts";

const rbac = "rbac.authorization.k8s.io";
/** What an installation makes, by group and resource; all of it is created and patched. */
const made = [
  ["apiextensions.k8s.io", "customresourcedefinitions"],
  ["", "namespaces"],
  [rbac, "clusterroles"],
  [rbac, "clusterrolebindings"],
  ["apps", "deployments"],
  ["apps", "daemonsets"],
] as const;

type Conditions = {
  readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  readonly nodeInfo?: { readonly operatingSystem?: string; readonly architecture?: string };
};

/** Asks a cluster what matters before something is installed there. Reads only. */
export async function survey(client: Client, namespace: string, signal: AbortSignal): Promise<Survey> {
  const [{ gitVersion }, missingRights, veleros, nodes, classes, own] = await Promise.all([
    client.version(signal),
    missing(client, namespace, signal),
    allowed(client.list(builtIn.deployments, { labelSelector: "component=velero" }, signal)),
    allowed(client.list<KubeObject & { readonly status?: Conditions }>(builtIn.nodes, {}, signal)),
    allowed(client.list(builtIn.storageClasses, {}, signal)),
    allowed(client.get(builtIn.namespaces, namespace, {}, signal)),
  ]);
  return {
    version: gitVersion,
    missingRights,
    veleros: veleros?.map(({ metadata }) => `${metadata.namespace ?? ""}/${metadata.name}`),
    nodes: nodes?.map(({ status }) => ({
      ready: (status?.conditions ?? []).some((one) => one.type === "Ready" && one.status === "True"),
      platform: `${status?.nodeInfo?.operatingSystem ?? "linux"}/${status?.nodeInfo?.architecture ?? "unknown"}`,
    })),
    storageClasses: classes?.length,
    podSecurity: own?.metadata.labels?.["pod-security.kubernetes.io/enforce"],
  };
}

/** Undefined where the answer is refused, or where there is nothing. */
async function allowed<T>(asking: Promise<T>): Promise<T | undefined> {
  try {
    return await asking;
  } catch (error) {
    if (isForbidden(error) || isNotFound(error)) return undefined;
    throw error;
  }
}

async function missing(client: Client, namespace: string, signal: AbortSignal): Promise<readonly string[]> {
  const asked = made.flatMap(([group, resource]) =>
    ["create", "patch"].map(async (verb) => {
      const review = {
        apiVersion: "authorization.k8s.io/v1",
        kind: "SelfSubjectAccessReview",
        spec: { resourceAttributes: { verb, group, resource, ...(group === "apps" && { namespace }) } },
      };
      const answer = await client.create<KubeObject & { readonly status?: { readonly allowed?: boolean } }>(
        builtIn.selfSubjectAccessReviews,
        review,
        {},
        signal,
      );
      return answer.status?.allowed === true ? [] : [`${verb} ${resource}${group === "" ? "" : `.${group}`}`];
    }),
  );
  return (await Promise.all(asked)).flat();
}
