import type { KubeObject } from "../../api/index.ts";

/** The namespace of the demo's application. */
export const shopNamespace = "headway-shop";

/** Which pods hold data, and where. */
export const shopVolumes = [
  { app: "database", container: "database", folder: "/data" },
  { app: "catalog", container: "catalog", folder: "/pictures" },
] as const;

/** What a manifest holds beside its name. */
export type Manifest = KubeObject & { readonly [field: string]: unknown };

/** A small shop: a database with a claim, a catalog with a scratch volume, settings and a secret, all with real data. */
export function shopManifests(megabytes: number, image: string): Manifest[] {
  const meta = (name: string) => ({ name, namespace: shopNamespace, labels: { app: name } });
  return [
    { apiVersion: "v1", kind: "Namespace", metadata: { name: shopNamespace, labels: { demo: "headway" } } },
    {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: meta("settings"),
      data: { currency: "EUR", theme: "winter" },
    },
    { apiVersion: "v1", kind: "Secret", metadata: meta("payment"), stringData: { key: "not-a-real-key" } },
    {
      apiVersion: "v1",
      kind: "Service",
      metadata: meta("database"),
      spec: { selector: { app: "database" }, ports: [{ port: 5432 }] },
    },
    {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: meta("database"),
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
    },
    workload("database", image, fill("/data", Math.ceil(megabytes * 0.7)), "/data", {
      name: "data",
      persistentVolumeClaim: { claimName: "database" },
    }),
    workload("catalog", image, fill("/pictures", Math.ceil(megabytes * 0.3)), "/pictures", {
      name: "pictures",
      emptyDir: {},
    }),
  ];
}

/** Writes data once; a pod that comes back with its data writes nothing. */
function fill(folder: string, megabytes: number): string {
  const files = Math.max(2, Math.min(20, Math.floor(megabytes / 4)));
  const kilobytes = Math.ceil((megabytes * 1024) / files);
  return [
    `if [ ! -e ${folder}/complete ]; then`,
    `i=0; while [ $i -lt ${files} ]; do head -c ${kilobytes}k /dev/urandom > ${folder}/part-$i; i=$((i+1)); done;`,
    `echo yes > ${folder}/complete; fi; while :; do sleep 3600; done`,
  ].join(" ");
}

interface Volume {
  readonly name: string;
  readonly [source: string]: unknown;
}

function workload(name: string, image: string, script: string, mountPath: string, volume: Volume): Manifest {
  const labels = { app: name };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, namespace: shopNamespace, labels },
    spec: {
      replicas: 1,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          terminationGracePeriodSeconds: 0,
          containers: [
            {
              name,
              image,
              imagePullPolicy: "IfNotPresent",
              command: ["sh", "-c", script],
              volumeMounts: [{ name: volume.name, mountPath }],
            },
          ],
          volumes: [volume],
        },
      },
    },
  };
}
