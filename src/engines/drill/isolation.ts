import { stringify } from "yaml";
import type { Drill } from "../../api/index.ts";
import { drillNames } from "./names.ts";

type Isolation = NonNullable<NonNullable<Drill["spec"]>["isolation"]>;

/**
 * Types that a rehearsal leaves out: what the outside reaches the application by, what changes requests of the whole cluster,
 * what makes other controllers act outside of the scratch namespaces, and policies that would widen the one of the drill.
 */
export const excludedTypes: readonly string[] = [
  "ingresses.networking.k8s.io",
  "ingresses.extensions",
  "routes.route.openshift.io",
  "gateways.gateway.networking.k8s.io",
  "httproutes.gateway.networking.k8s.io",
  "grpcroutes.gateway.networking.k8s.io",
  "tlsroutes.gateway.networking.k8s.io",
  "virtualservices.networking.istio.io",
  "gateways.networking.istio.io",
  "ingressroutes.traefik.io",
  "validatingwebhookconfigurations.admissionregistration.k8s.io",
  "mutatingwebhookconfigurations.admissionregistration.k8s.io",
  "apiservices.apiregistration.k8s.io",
  "networkpolicies.networking.k8s.io",
  "ciliumnetworkpolicies.cilium.io",
  "networkpolicies.crd.projectcalico.org",
  "dnsendpoints.externaldns.k8s.io",
  "certificates.cert-manager.io",
  "applications.argoproj.io",
  "kustomizations.kustomize.toolkit.fluxcd.io",
  "helmreleases.helm.toolkit.fluxcd.io",
  "actionsets.cr.kanister.io",
  "schedules.velero.io",
  "drills.headway.dev",
];

/** Annotations that make a controller of DNS act. */
const dnsAnnotations = [
  "external-dns.alpha.kubernetes.io/hostname",
  "external-dns.alpha.kubernetes.io/internal-hostname",
  "external-dns.alpha.kubernetes.io/target",
];
const closed = {
  spec: {
    type: "ClusterIP",
    externalIPs: null,
    externalTrafficPolicy: null,
    healthCheckNodePort: null,
    loadBalancerIP: null,
    loadBalancerClass: null,
    loadBalancerSourceRanges: null,
    allocateLoadBalancerNodePorts: null,
  },
};

/** The usual resource modifiers of a drill, as the text of a ConfigMap. */
export function usualModifiers({ storageClassName = "" }: Isolation = {}): string {
  const rule = (groupResource: string, patch: object, more: object = {}) => ({
    conditions: { groupResource, ...more },
    mergePatches: [{ patchData: JSON.stringify(patch) }],
  });
  const ofType = (type: string) => ({ matches: [{ path: "/spec/type", value: type }] });
  const annotations = Object.fromEntries(dnsAnnotations.map((name) => [name, null]));
  return stringify({
    version: "v1",
    resourceModifierRules: [
      rule("services", closed, ofType("LoadBalancer")),
      rule("services", closed, ofType("NodePort")),
      rule("services", { metadata: { annotations }, spec: { externalIPs: null } }),
      rule("cronjobs.batch", { spec: { suspend: true } }),
      ...(storageClassName === "" ? [] : [rule("persistentvolumeclaims", { spec: { storageClassName } })]),
    ],
  });
}

/** The scratch namespace. What decides about the rights of pods is taken over from the source where that is still there. */
export function scratchNamespace(
  name: string,
  uid: string,
  source: {
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  },
) {
  const pick = (from: Readonly<Record<string, string>> | undefined, prefix: string) =>
    Object.fromEntries(Object.entries(from ?? {}).filter(([key]) => key.startsWith(prefix)));
  return {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: {
      name,
      labels: { ...pick(source.labels, "pod-security.kubernetes.io/"), [drillNames.uid]: uid },
      annotations: pick(source.annotations, "openshift.io/sa.scc."),
    },
  };
}

/** Pods may talk to the copies of their neighbours and to the cluster's DNS, to nobody else. */
export function egressPolicy(namespace: string, uid: string) {
  const dns = {
    key: "kubernetes.io/metadata.name",
    operator: "In",
    values: ["kube-system", "openshift-dns"],
  };
  const ports = [53, 5353].flatMap((port) => [
    { protocol: "UDP", port },
    { protocol: "TCP", port },
  ]);
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    metadata: { name: "headway-drill", namespace, labels: { [drillNames.uid]: uid } },
    spec: {
      podSelector: {},
      policyTypes: ["Egress"],
      egress: [
        { to: [{ namespaceSelector: { matchLabels: { [drillNames.uid]: uid } } }] },
        { to: [{ namespaceSelector: { matchExpressions: [dns] } }], ports },
      ],
    },
  };
}

/** What the copy of a namespace may use. */
export function scratchQuota(namespace: string, uid: string, hard: Readonly<Record<string, string>>) {
  return {
    apiVersion: "v1",
    kind: "ResourceQuota",
    metadata: { name: "headway-drill", namespace, labels: { [drillNames.uid]: uid } },
    spec: { hard },
  };
}
