import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { KubeObject } from "../../src/api/index.ts";
import { type Manifest, program } from "../../src/cli/install/manifests.ts";
import { builtIn, type Client, type Resource } from "../../src/kube/index.ts";

const group = "rbac.authorization.k8s.io";
const rbac = (plural: string, kind: string, namespaced: boolean): Resource => ({
  group,
  version: "v1",
  plural,
  kind,
  namespaced,
});
const kinds: readonly Resource[] = [
  builtIn.serviceAccounts,
  rbac("roles", "Role", true),
  rbac("rolebindings", "RoleBinding", true),
  rbac("clusterroles", "ClusterRole", false),
  rbac("clusterrolebindings", "ClusterRoleBinding", false),
];

/** The account of an agent with the rights that an installation gives it, as a kubeconfig; `remove` takes back what is the cluster's. */
export async function agentAccount(world: {
  readonly client: Client;
  readonly namespace: string;
  readonly kubeconfig: string;
  readonly folder: string;
}): Promise<{ readonly kubeconfig: string; remove(): Promise<void> }> {
  const { client, namespace, folder } = world;
  const made: [Resource, Manifest][] = [];
  for (const object of program({ namespace, image: "none" })) {
    const resource = kinds.find(({ kind }) => kind === object.kind);
    if (!resource || !object.metadata.name.startsWith("headway-agent")) continue;
    await client.create(resource, object);
    made.push([resource, object]);
  }
  const asked = {
    apiVersion: "authentication.k8s.io/v1",
    kind: "TokenRequest",
    spec: { expirationSeconds: 3600 },
  };
  const place = { namespace, subresource: "token", name: "headway-agent" };
  type Token = KubeObject & { readonly status: { readonly token: string } };
  const { status } = await client.create<Token>(builtIn.serviceAccounts, asked, place);
  const kubeconfig = join(folder, "agent.kubeconfig");
  writeFileSync(kubeconfig, withToken(readFileSync(world.kubeconfig, "utf8"), status.token), { mode: 0o600 });
  return {
    kubeconfig,
    async remove() {
      for (const [resource, { metadata }] of made)
        if (!resource.namespaced) await client.delete(resource, metadata.name);
    },
  };
}

/** The same server, with a token instead of whoever the file names. */
function withToken(text: string, token: string): string {
  const found = (key: string) => new RegExp(`${key}: *"?([^"\\s]+)`).exec(text)?.[1];
  const [data, file] = [found("certificate-authority-data"), found("certificate-authority")];
  const cluster = {
    server: found("server"),
    ...(data === undefined ? { "certificate-authority": file } : { "certificate-authority-data": data }),
  };
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": "c",
    contexts: [{ name: "c", context: { cluster: "c", user: "c" } }],
    clusters: [{ name: "c", cluster }],
    users: [{ name: "c", user: { token } }],
  });
}
