/** One cluster of a kubeconfig. */
export interface ClusterEntry {
  readonly name: string;
  readonly url: string;
  readonly token: string;
  readonly ca: string;
}

/** A kubeconfig with a context per cluster; JSON is YAML, so every client reads it. */
export function kubeconfigOf(clusters: readonly ClusterEntry[], current: string): string {
  const config = {
    apiVersion: "v1",
    kind: "Config",
    clusters: clusters.map(({ name, url, ca }) => ({
      name,
      cluster: { server: url, "certificate-authority-data": Buffer.from(ca).toString("base64") },
    })),
    users: clusters.map(({ name, token }) => ({ name, user: { token } })),
    contexts: clusters.map(({ name }) => ({ name, context: { cluster: name, user: name } })),
    "current-context": current,
  };
  return `${JSON.stringify(config, undefined, 2)}\n`;
}
