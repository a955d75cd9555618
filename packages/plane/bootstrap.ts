import type { Api } from "./api.ts";
import type { KubeObject } from "./object.ts";

/** Creates what every cluster has, where it is missing. */
export function bootstrap(api: Api): void {
  for (const name of ["default", "kube-system", "kube-public", "kube-node-lease"]) {
    ensure(api, "namespaces", "", { kind: "Namespace", apiVersion: "v1", metadata: { name } });
  }
  ensure(api, "services", "default", {
    kind: "Service",
    apiVersion: "v1",
    metadata: { name: "kubernetes", labels: { component: "apiserver", provider: "kubernetes" } },
    spec: { clusterIP: "10.96.0.1", ports: [{ name: "https", port: 443, targetPort: 443, protocol: "TCP" }] },
  });
  ensure(api, "storageclasses.storage.k8s.io", "", {
    kind: "StorageClass",
    apiVersion: "storage.k8s.io/v1",
    metadata: { name: "standard", annotations: { "storageclass.kubernetes.io/is-default-class": "true" } },
    provisioner: "headway.dev/folder",
    reclaimPolicy: "Delete",
    volumeBindingMode: "Immediate",
  });
}

function ensure(api: Api, storage: string, namespace: string, object: KubeObject): void {
  if (api.read(storage, namespace, object.metadata.name)) return;
  api.create(api.resource(storage), namespace, object);
}
