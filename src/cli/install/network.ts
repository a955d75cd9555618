import type { KubeObject } from "../../api/index.ts";

type Manifest = KubeObject & Readonly<Record<string, unknown>>;

/**
 * Who may call: the operator on its page and its webhook, the agents never. What they call is not limited: the API server and stores lie
 * at addresses that nobody knows here.
 */
export function networkPolicies(
  {
    namespace,
    agent = true,
    callers: from,
  }: { readonly namespace: string; readonly agent?: boolean; readonly callers?: unknown },
  labelsOf: (name: string) => Readonly<Record<string, string>>,
): Manifest[] {
  const policy = (name: string, ingress: readonly object[]): Manifest => ({
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    metadata: { name, namespace, labels: labelsOf(name) },
    spec: {
      podSelector: { matchLabels: { "app.kubernetes.io/name": name } },
      policyTypes: ["Ingress"],
      ingress,
    },
  });
  const on = (port: string) => ({ ports: [{ protocol: "TCP", port }] });
  const page = { ...on("http"), ...(from !== undefined && { from }) };
  return [policy("headway", [page, on("webhook")]), ...(agent ? [policy("headway-agent", [])] : [])];
}
