import fc from "fast-check";
import type { Resource } from "../../src/kube/index.ts";
import type { Thing } from "./restore-stage.ts";

/** A kind that can be generated, and where it lives. */
export interface Sample {
  readonly resource: Resource;
  /** As archives name it. */
  readonly type: string;
  make(name: string, namespace: string, seed: Seed): Thing;
}

/** What makes two objects of a kind differ. */
export interface Seed {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly text: string;
  readonly number: number;
}

/** Seeds with awkward texts: unicode, quotes, templates, the names of JavaScript's own machinery. */
export const seeds: fc.Arbitrary<Seed> = fc.record({
  labels: fc.dictionary(fc.constantFrom("app", "tier", "example.com/x"), fc.constantFrom("a", "b", "")),
  annotations: fc.dictionary(
    fc.constantFrom("note", "example.com/y"),
    fc.string({ unit: "grapheme", maxLength: 20 }),
  ),
  text: fc.oneof(
    fc.string({ unit: "grapheme", maxLength: 60 }),
    fc.constantFrom("{{ .x }}", "__proto__", '"', "\\", "\u2028"),
  ),
  number: fc.integer({ min: 1, max: 50 }),
});

function sample(
  group: string,
  version: string,
  plural: string,
  kind: string,
  body: (seed: Seed, namespace: string) => object,
  namespaced = true,
): Sample {
  const apiVersion = group === "" ? version : `${group}/${version}`;
  return {
    resource: { group, version, plural, kind, namespaced },
    type: group === "" ? plural : `${plural}.${group}`,
    make: (name, namespace, seed) => ({
      apiVersion,
      kind,
      metadata: {
        name,
        ...(namespaced && { namespace }),
        labels: seed.labels,
        annotations: seed.annotations,
      },
      ...body(seed, namespace),
    }),
  };
}

const container = (seed: Seed): object => ({
  name: "main",
  image: `registry.example/app:${seed.number}`,
  command: ["run", seed.text || "x"],
  env: [{ name: "TEXT", value: seed.text }],
});
const template = (seed: Seed): object => ({
  metadata: { labels: { run: "it" } },
  spec: { containers: [container(seed)], serviceAccountName: "default" },
});
const selector = { matchLabels: { run: "it" } };
const rbac = "rbac.authorization.k8s.io";
const rules = [{ apiGroups: [""], resources: ["pods"], verbs: ["get", "list"] }];

/** Kinds of many sorts: data, access, workloads, network, limits, cluster-scoped. */
export const samples: readonly Sample[] = [
  sample("", "v1", "configmaps", "ConfigMap", (seed) => ({
    data: JSON.parse(`{"text":${JSON.stringify(seed.text)},"__proto__":"kept","constructor":"kept"}`),
    binaryData: { bytes: Buffer.from(seed.text).toString("base64") },
  })),
  sample("", "v1", "secrets", "Secret", (seed) => ({
    type: "Opaque",
    data: { key: Buffer.from(seed.text).toString("base64") },
  })),
  sample("", "v1", "serviceaccounts", "ServiceAccount", (seed) => ({
    automountServiceAccountToken: seed.number % 2 === 0,
    imagePullSecrets: [{ name: `pull-${seed.number}` }],
  })),
  sample("", "v1", "services", "Service", (seed) => ({
    spec: { ports: [{ name: "http", port: 1000 + seed.number, targetPort: "web" }], selector: { app: "a" } },
  })),
  sample("", "v1", "persistentvolumeclaims", "PersistentVolumeClaim", (seed) => ({
    spec: {
      accessModes: ["ReadWriteOnce"],
      storageClassName: "none",
      resources: { requests: { storage: `${seed.number}Gi` } },
    },
  })),
  sample("", "v1", "limitranges", "LimitRange", (seed) => ({
    // One that refuses nothing of the others: pods that are older than a limit do not come back under it.
    spec: { limits: [{ type: "PersistentVolumeClaim", max: { storage: `${seed.number + 1000}Gi` } }] },
  })),
  sample("", "v1", "resourcequotas", "ResourceQuota", (seed) => ({
    spec: { hard: { "count/widgets.example.com": String(seed.number + 1000) } },
  })),
  sample(rbac, "v1", "roles", "Role", () => ({ rules })),
  sample(rbac, "v1", "rolebindings", "RoleBinding", (_seed, namespace) => ({
    roleRef: { apiGroup: rbac, kind: "Role", name: "some" },
    subjects: [{ kind: "ServiceAccount", name: "default", namespace }],
  })),
  sample("apps", "v1", "deployments", "Deployment", (seed) => ({
    spec: { replicas: 0, revisionHistoryLimit: seed.number, selector, template: template(seed) },
  })),
  sample("apps", "v1", "statefulsets", "StatefulSet", (seed) => ({
    spec: { replicas: 0, serviceName: "s", selector, template: template(seed) },
  })),
  sample("apps", "v1", "daemonsets", "DaemonSet", (seed) => ({
    spec: { minReadySeconds: seed.number, selector, template: template(seed) },
  })),
  sample("batch", "v1", "cronjobs", "CronJob", (seed) => ({
    spec: {
      schedule: "0 3 * * *",
      suspend: true,
      jobTemplate: {
        spec: { template: { spec: { containers: [container(seed)], restartPolicy: "Never" } } },
      },
    },
  })),
  sample("networking.k8s.io", "v1", "networkpolicies", "NetworkPolicy", (seed) => ({
    spec: { podSelector: { matchLabels: { app: `a${seed.number}` } }, policyTypes: ["Ingress"] },
  })),
  sample("networking.k8s.io", "v1", "ingresses", "Ingress", (seed) => ({
    spec: { defaultBackend: { service: { name: "s", port: { number: seed.number } } } },
  })),
  sample("policy", "v1", "poddisruptionbudgets", "PodDisruptionBudget", (seed) => ({
    spec: { maxUnavailable: seed.number, selector: { matchLabels: { app: "a" } } },
  })),
  sample(rbac, "v1", "clusterroles", "ClusterRole", () => ({ rules }), false),
  sample(
    rbac,
    "v1",
    "clusterrolebindings",
    "ClusterRoleBinding",
    (_seed, namespace) => ({
      roleRef: { apiGroup: rbac, kind: "ClusterRole", name: "view" },
      subjects: [{ kind: "ServiceAccount", name: "default", namespace }],
    }),
    false,
  ),
  sample(
    "scheduling.k8s.io",
    "v1",
    "priorityclasses",
    "PriorityClass",
    (seed) => ({
      value: seed.number,
      description: seed.text,
    }),
    false,
  ),
];

/** An object without what the cluster it lives in decides: what is left must survive a backup and a restore. */
export function canonical(thing: Thing, renamed: (namespace: string) => string = (name) => name): unknown {
  const { status: _status, metadata, ...rest } = thing;
  const { name, namespace, labels, annotations } = metadata;
  const own = Object.entries(labels ?? {}).filter(
    ([key]) => !/^velero\.io\/(backup|restore)-name$/.test(key),
  );
  const notes = Object.entries(annotations ?? {}).filter(
    ([key]) => !/^(deprecated\.daemonset|deployment\.kubernetes\.io\/revision)/.test(key),
  );
  const flat = {
    ...rest,
    metadata: {
      name,
      ...(namespace !== undefined && { namespace: renamed(namespace) }),
      labels: Object.fromEntries(own),
      annotations: Object.fromEntries(notes),
    },
  };
  return JSON.parse(JSON.stringify(flat), (key, value: unknown) => {
    // The cluster gives out addresses anew.
    if (key === "clusterIP" || key === "clusterIPs") return undefined;
    if (key === "subjects" && Array.isArray(value)) {
      return value.map((one: { namespace?: string }) => ({
        ...one,
        ...(one.namespace !== undefined && { namespace: renamed(one.namespace) }),
      }));
    }
    return value;
  });
}
