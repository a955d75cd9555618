import type { Api } from "../api.ts";
import { type Controller, keyOf } from "./controller.ts";

/** Empties a namespace that is being deleted, then lets it go; gives every other one its account and certificate. */
export function namespaces(certificate: string): Controller {
  return {
    name: "namespaces",
    watches: {
      namespaces: (o) => [keyOf(o)],
      serviceaccounts: (o, change) => (change.type === "DELETED" ? [`/${o.metadata.namespace}`] : []),
      "*": (o, change) =>
        change.type === "DELETED" && o.metadata.namespace ? [`/${o.metadata.namespace}`] : [],
    },
    reconcile(api, _none, name) {
      const namespace = api.read("namespaces", "", name);
      if (!namespace) return;
      if (namespace.metadata.deletionTimestamp === undefined) provide(api, name, certificate);
      else if (empty(api, name)) {
        api.update(
          api.resource("namespaces"),
          "",
          { ...namespace, spec: { ...namespace.spec, finalizers: [] } },
          { subresource: "finalize" },
        );
      }
    },
  };
}

function provide(api: Api, namespace: string, certificate: string): void {
  if (!api.read("serviceaccounts", namespace, "default")) {
    api.create(api.resource("serviceaccounts"), namespace, {
      kind: "ServiceAccount",
      apiVersion: "v1",
      metadata: { name: "default" },
    });
  }
  if (!api.read("configmaps", namespace, "kube-root-ca.crt")) {
    api.create(api.resource("configmaps"), namespace, {
      kind: "ConfigMap",
      apiVersion: "v1",
      metadata: { name: "kube-root-ca.crt" },
      data: { "ca.crt": certificate },
    });
  }
}

/** Deletes everything that is left and tells whether nothing is. */
function empty(api: Api, namespace: string): boolean {
  let left = 0;
  const seen = new Set<string>();
  for (const resource of api.registry.all()) {
    if (!resource.namespaced || seen.has(resource.storage)) continue;
    seen.add(resource.storage);
    for (const object of api.readAll(resource.storage, namespace)) {
      if (object.metadata.deletionTimestamp === undefined) {
        const { gone } = api.delete(resource, namespace, object.metadata.name, {
          propagationPolicy: "Background",
        });
        if (gone) continue;
      }
      left += 1;
    }
  }
  return left === 0;
}
