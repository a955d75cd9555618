import type { KubeObject } from "../../api/index.ts";

type Manifest = KubeObject & Readonly<Record<string, unknown>>;

/** What the cluster needs to ask the operator before it stores Blueprints and ActionSets. Values may be placeholders of a chart. */
export interface WebhookCertificate {
  /** PEM in base64, as Secrets and webhooks have it. The certificate is its own authority. */
  readonly cert: string;
  readonly key: string;
}

/** The name of the Secret, of the Service and of the folder in the pod. */
export const webhookName = "headway-webhook";
export const webhookPort = 9443;

/** The name under which the API server calls. */
export function webhookHost(namespace: string): string {
  return `${webhookName}.${namespace}.svc`;
}

/** The certificate, the service and the question. */
export function webhookObjects(
  namespace: string,
  { cert, key }: WebhookCertificate,
  labels: Readonly<Record<string, string>>,
): Manifest[] {
  const metadata = { name: webhookName, namespace, labels };
  const service = { name: webhookName, namespace, port: 443 };
  return [
    {
      apiVersion: "v1",
      kind: "Secret",
      metadata,
      type: "kubernetes.io/tls",
      data: { "tls.crt": cert, "tls.key": key },
    },
    {
      apiVersion: "v1",
      kind: "Service",
      metadata,
      spec: {
        selector: { "app.kubernetes.io/name": "headway" },
        ports: [{ name: "webhook", port: 443, targetPort: "webhook" }],
      },
    },
    webhookConfiguration(namespace, labels, (path) => ({ caBundle: cert, service: { ...service, path } })),
  ];
}

/**
 * Which objects the cluster asks about, and whom.
 *
 * ActionSets only when they are made: their status has no endpoint of its own, and the operator need not ask itself on every step. An operator that
 * is away refuses nothing: it judges everything again before it runs it.
 */
export function webhookConfiguration(
  namespace: string,
  labels: Readonly<Record<string, string>>,
  clientConfig: (path: string) => object,
): Manifest {
  const webhook = (plural: string, singular: string, operations: readonly string[]) => ({
    name: `${plural}.cr.kanister.io`,
    clientConfig: clientConfig(`/validate/v1alpha1/${singular}`),
    rules: [
      {
        apiGroups: ["cr.kanister.io"],
        apiVersions: ["v1alpha1"],
        operations,
        resources: [plural],
        scope: "Namespaced",
      },
    ],
    // Those of other namespaces are another operator's.
    namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": namespace } },
    failurePolicy: "Ignore",
    sideEffects: "None",
    timeoutSeconds: 5,
    admissionReviewVersions: ["v1"],
  });
  return {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingWebhookConfiguration",
    metadata: { name: `headway-${namespace}`, labels },
    webhooks: [
      webhook("blueprints", "blueprint", ["CREATE", "UPDATE"]),
      webhook("actionsets", "actionset", ["CREATE"]),
    ],
  };
}
