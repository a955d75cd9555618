import type { Admission, Api } from "./api.ts";
import { isMap, type KubeObject, listAt, textAt } from "./object.ts";
import type { Resource } from "./resources.ts";
import { forbidden } from "./status.ts";

/** Gives services their address and claims their class, and refuses pods of accounts that do not exist. */
export function admitBuiltin(api: Api): Admission {
  return (object, resource, old) => {
    switch (resource.storage) {
      case "services":
        return address(api, object, old);
      case "persistentvolumeclaims":
        if (!old) defaultClass(api, object);
        return;
      case "pods":
        if (!old) account(api, object, resource);
        return;
      default:
        return;
    }
  };
}

function account(api: Api, object: KubeObject, resource: Resource): void {
  const name = textAt(object.spec, "serviceAccountName") ?? "default";
  const namespace = object.metadata.namespace ?? "";
  // The default account of a fresh namespace may be one tick away.
  if (name === "default" || api.read("serviceaccounts", namespace, name)) return;
  const why = `error looking up service account ${namespace}/${name}: serviceaccount "${name}" not found`;
  throw forbidden(resource, object.metadata.name, why);
}

function defaultClass(api: Api, object: KubeObject): void {
  if (!object.spec || object.spec["storageClassName"] !== undefined) return;
  const classes = api.readAll("storageclasses.storage.k8s.io");
  const chosen = classes.find(
    (c) => c.metadata.annotations?.["storageclass.kubernetes.io/is-default-class"] === "true",
  );
  if (chosen) object.spec["storageClassName"] = chosen.metadata.name;
}

/** 10.96.0.0/16, as most clusters have it; taken addresses are read from the services themselves. */
function address(api: Api, object: KubeObject, old: KubeObject | undefined): void {
  const { spec } = object;
  if (!isMap(spec) || spec["type"] === "ExternalName") return;
  const before = textAt(old?.spec, "clusterIP");
  const now = textAt(spec, "clusterIP");
  if (now === undefined) spec["clusterIP"] = before ?? free(api);
  spec["clusterIPs"] = listAt(spec, "clusterIPs").length > 0 ? spec["clusterIPs"] : [spec["clusterIP"] ?? ""];
}

function free(api: Api): string {
  const taken = new Set(api.readAll("services").map((s) => textAt(s.spec, "clusterIP")));
  for (let i = 1; i < 65_535; i++) {
    const candidate = `10.96.${i >> 8}.${i & 255}`;
    if ((i & 255) !== 0 && (i & 255) !== 255 && !taken.has(candidate)) return candidate;
  }
  throw new Error("every service address is taken");
}
