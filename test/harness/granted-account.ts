import type { KubeObject } from "../../src/api/index.ts";
import type { Rule } from "../../src/cli/install/permissions.ts";
import { builtIn, type Client, type Resource } from "../../src/kube/index.ts";

const rbac = { group: "rbac.authorization.k8s.io", version: "v1", namespaced: false };
export const clusterRoles: Resource = { ...rbac, plural: "clusterroles", kind: "ClusterRole" };
export const clusterRoleBindings: Resource = {
  ...rbac,
  plural: "clusterrolebindings",
  kind: "ClusterRoleBinding",
};

/** A service account with these rights in the whole cluster: a token of it, and the name of its role and of the binding. */
export async function grantedAccount(
  { client, namespace }: { readonly client: Client; readonly namespace: string },
  name: string,
  rules: readonly Rule[],
): Promise<{ readonly token: string; readonly role: string }> {
  const role = `${namespace}-${name}`;
  await client.create(builtIn.serviceAccounts, {
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata: { name, namespace },
  });
  await client.create(clusterRoles, {
    apiVersion: `${rbac.group}/v1`,
    kind: "ClusterRole",
    metadata: { name: role },
    rules,
  });
  await client.create(clusterRoleBindings, {
    apiVersion: `${rbac.group}/v1`,
    kind: "ClusterRoleBinding",
    metadata: { name: role },
    roleRef: { apiGroup: rbac.group, kind: "ClusterRole", name: role },
    subjects: [{ kind: "ServiceAccount", name, namespace }],
  });
  const asked = {
    apiVersion: "authentication.k8s.io/v1",
    kind: "TokenRequest",
    metadata: { name, namespace },
    spec: { expirationSeconds: 3_600 },
  };
  const made = await client.create<KubeObject & { readonly status: { readonly token: string } }>(
    builtIn.serviceAccounts,
    asked,
    { namespace, subresource: "token", name },
  );
  return { token: made.status.token, role };
}
