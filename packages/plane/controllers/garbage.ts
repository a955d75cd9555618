import { type Api, objectOf } from "../api.ts";
import type { KubeObject } from "../object.ts";
import type { Controller } from "./controller.ts";

/**
 * Deletes what nobody owns any more, and finishes foreground and orphaning deletions.
 *
 * Keys are `storage/namespace/name` packed as namespace `storage`, name `namespace/name`. The index from owner to dependents
 * holds only objects with owner references.
 */
export function garbage(api: Api): Controller {
  const dependents = new Map<string, Set<string>>();
  const index = (object: KubeObject, resource: string, gone: boolean): void => {
    for (const owner of object.metadata.ownerReferences ?? []) {
      const set = dependents.get(owner.uid) ?? new Set<string>();
      const key = `${resource}/${object.metadata.namespace ?? ""}/${object.metadata.name}`;
      if (gone) set.delete(key);
      else set.add(key);
      if (set.size === 0) dependents.delete(owner.uid);
      else dependents.set(owner.uid, set);
    }
  };
  for (const row of api.store.containing('"ownerReferences"')) index(objectOf(row), row.resource, false);
  return {
    name: "garbage",
    watches: {
      "*": (object, change) => {
        index(object, change.resource, change.type === "DELETED");
        const self = `${change.resource}/${change.namespace}/${change.name}`;
        const uid = object.metadata.uid ?? "";
        const waits =
          object.metadata.finalizers?.some((f) => f === "foregroundDeletion" || f === "orphan") === true;
        if (change.type === "DELETED") return [...(dependents.get(uid) ?? []), ...ownersOf(api, object)];
        return waits && object.metadata.deletionTimestamp !== undefined
          ? [self]
          : object.metadata.ownerReferences
            ? [self]
            : [];
      },
    },
    reconcile(_api, storage, rest) {
      const cut = rest.indexOf("/");
      const object = api.read(storage, rest.slice(0, cut), rest.slice(cut + 1));
      if (!object) return;
      if (object.metadata.deletionTimestamp !== undefined)
        finish(api, storage, object, [...(dependents.get(object.metadata.uid ?? "") ?? [])]);
      collect(api, storage, object);
    },
  };
}

/** Owners that wait for this dependent to go. */
function ownersOf(api: Api, object: KubeObject): string[] {
  return (object.metadata.ownerReferences ?? []).flatMap((owner) => {
    const resource = api.registry.findKind(owner.apiVersion, owner.kind);
    return resource
      ? [`${resource.storage}/${resource.namespaced ? (object.metadata.namespace ?? "") : ""}/${owner.name}`]
      : [];
  });
}

/** Deletes an object whose owners are all gone. */
function collect(api: Api, storage: string, object: KubeObject): void {
  const owners = object.metadata.ownerReferences ?? [];
  if (owners.length === 0) return;
  const alive = owners.some((owner) => {
    const resource = api.registry.findKind(owner.apiVersion, owner.kind);
    if (!resource) return true; // a kind that is not served may come back
    const found = api.read(
      resource.storage,
      resource.namespaced ? (object.metadata.namespace ?? "") : "",
      owner.name,
    );
    if (found?.metadata.uid !== owner.uid) return false;
    return !(
      found.metadata.deletionTimestamp !== undefined &&
      found.metadata.finalizers?.includes("foregroundDeletion")
    );
  });
  if (alive || object.metadata.deletionTimestamp !== undefined) return;
  const { uid = "" } = object.metadata;
  api.delete(api.resource(storage), object.metadata.namespace ?? "", object.metadata.name, {
    propagationPolicy: "Background",
    preconditions: { uid },
  });
}

/** An object that waits for its dependents: they go first, or are let go. */
function finish(api: Api, storage: string, object: KubeObject, dependents: readonly string[]): void {
  const finalizers = object.metadata.finalizers ?? [];
  const orphans = finalizers.includes("orphan");
  if (!orphans && !finalizers.includes("foregroundDeletion")) return;
  let left = 0;
  for (const key of dependents) {
    const [resource = "", namespace = "", ...name] = key.split("/");
    const dependent = api.read(resource, namespace, name.join("/"));
    if (!dependent) continue;
    if (orphans) release(api, resource, dependent, object.metadata.uid ?? "");
    else {
      const reference = dependent.metadata.ownerReferences?.find((r) => r.uid === object.metadata.uid);
      if (reference?.blockOwnerDeletion === true) left += 1;
      collect(api, resource, dependent);
      if (!api.read(resource, namespace, name.join("/")) && reference?.blockOwnerDeletion === true) left -= 1;
    }
  }
  if (left > 0) return;
  api.modify(api.resource(storage), object.metadata.namespace ?? "", object.metadata.name, (o) => {
    o.metadata.finalizers = (o.metadata.finalizers ?? []).filter(
      (f) => f !== "orphan" && f !== "foregroundDeletion",
    );
  });
}

function release(api: Api, storage: string, dependent: KubeObject, uid: string): void {
  api.modify(api.resource(storage), dependent.metadata.namespace ?? "", dependent.metadata.name, (o) => {
    o.metadata.ownerReferences = (o.metadata.ownerReferences ?? []).filter((r) => r.uid !== uid);
  });
}
