import { createHash } from "node:crypto";
import { selects } from "../../apimachinery/index.ts";
import type { Api } from "../api.ts";
import { isMap, type JsonMap, type KubeObject, listAt, mapAt, numberAt, textAt } from "../object.ts";
import { record } from "../record.ts";
import { apiVersionOf } from "../resources.ts";

/** Whether a pod can still do work. */
export function isActive(pod: KubeObject): boolean {
  const phase = textAt(pod.status, "phase");
  return phase !== "Succeeded" && phase !== "Failed" && pod.metadata.deletionTimestamp === undefined;
}

/** Whether a pod's Ready condition is true. */
export function isReady(pod: KubeObject): boolean {
  return listAt(pod.status, "conditions").some(
    (c) => textAt(c, "type") === "Ready" && textAt(c, "status") === "True",
  );
}

/** The pods that an owner controls. */
export function podsOf(api: Api, owner: KubeObject): KubeObject[] {
  return owned(api, "pods", owner);
}

/** The objects of a resource that an owner controls. */
export function owned(api: Api, storage: string, owner: KubeObject): KubeObject[] {
  return api
    .readAll(storage, owner.metadata.namespace ?? "")
    .filter((o) =>
      o.metadata.ownerReferences?.some((r) => r.controller === true && r.uid === owner.metadata.uid),
    );
}

/**
 * Takes in what nobody controls and the owner's selector fits, and lets go what it does not fit any more: pods that were
 * restored before their ReplicaSet are its pods, and no others are made in their place.
 */
export function adopt(api: Api, storage: string, ownerStorage: string, owner: KubeObject): void {
  const selector = mapAt(owner.spec, "selector");
  if (Object.keys(selector).length === 0 || owner.metadata.deletionTimestamp !== undefined) return;
  const namespace = owner.metadata.namespace ?? "";
  for (const object of api.readAll(storage, namespace)) {
    const { ownerReferences = [], deletionTimestamp, labels } = object.metadata;
    const controller = ownerReferences.find((one) => one.controller === true);
    const mine = controller?.uid === owner.metadata.uid;
    if (deletionTimestamp !== undefined || (controller && !mine)) continue;
    if ((selects(selector, labels) && isMember(owner, object)) === mine) continue;
    const owners = mine
      ? ownerReferences.filter((one) => one !== controller)
      : [...ownerReferences, ...controlledBy(api, ownerStorage, owner)];
    api.update(api.resource(storage), namespace, {
      ...object,
      metadata: { ...object.metadata, ownerReferences: owners },
    });
  }
}

/** A StatefulSet's pods are known by their names, too. */
function isMember(owner: KubeObject, object: KubeObject): boolean {
  const { name } = object.metadata;
  return owner.kind !== "StatefulSet" || name.replace(/-\d+$/, "") === owner.metadata.name;
}

/** The reference to a controlling owner. */
export function controlledBy(
  api: Api,
  storage: string,
  owner: KubeObject,
): NonNullable<KubeObject["metadata"]["ownerReferences"]> {
  const resource = api.resource(storage);
  const { name, uid = "" } = owner.metadata;
  const apiVersion = apiVersionOf(resource);
  return [{ apiVersion, kind: resource.kind, name, uid, controller: true, blockOwnerDeletion: true }];
}

/** What a template adds to the pods it makes. */
export interface PodExtras {
  readonly name?: string;
  readonly labels?: Record<string, string>;
  readonly volumes?: readonly JsonMap[];
  readonly hostname?: string;
  readonly subdomain?: string;
  readonly env?: readonly JsonMap[];
}

/** Creates a pod of a workload's template. */
export function createPod(api: Api, storage: string, owner: KubeObject, extras: PodExtras = {}): KubeObject {
  const template = mapAt(owner.spec, "template");
  const meta = mapAt(template, "metadata");
  const spec = structuredClone(mapAt(template, "spec"));
  const replaced = new Set((extras.volumes ?? []).map((v) => v["name"]));
  if (extras.volumes) {
    const others = listAt(spec, "volumes").filter((v) => !replaced.has(textAt(v, "name")));
    spec["volumes"] = [...extras.volumes, ...others];
  }
  if (extras.hostname !== undefined) spec["hostname"] = extras.hostname;
  if (extras.subdomain !== undefined) spec["subdomain"] = extras.subdomain;
  const labels = { ...(mapAt(meta, "labels") as Record<string, string>), ...extras.labels };
  const annotations = mapAt(meta, "annotations") as Record<string, string>;
  const pod = api.create(api.resource("pods"), owner.metadata.namespace ?? "", {
    kind: "Pod",
    apiVersion: "v1",
    metadata: {
      name: extras.name ?? "",
      ...(extras.name === undefined && { generateName: `${owner.metadata.name}-` }),
      labels,
      ...(Object.keys(annotations).length > 0 && { annotations }),
      ownerReferences: controlledBy(api, storage, owner),
    },
    spec,
  });
  tell(api, owner, "Create", pod.metadata.name);
  return pod;
}

/** Deletes a pod of a workload. */
export function deletePod(api: Api, owner: KubeObject, pod: KubeObject): void {
  api.delete(api.resource("pods"), owner.metadata.namespace ?? "", pod.metadata.name);
  tell(api, owner, "Delete", pod.metadata.name);
}

function tell(api: Api, owner: KubeObject, verb: "Create" | "Delete", pod: string): void {
  const { kind, metadata } = owner;
  const message =
    kind === "StatefulSet"
      ? `${verb.toLowerCase()} Pod ${pod} in StatefulSet ${metadata.name} successful`
      : `${verb}d pod: ${pod}`;
  noteOn(api, owner, `Successful${verb}`, message);
}

/** Writes an Event of a workload's controller. */
export function noteOn(
  api: Api,
  owner: KubeObject,
  reason: string,
  message: string,
  type: "Normal" | "Warning" = "Normal",
): void {
  record(api, owner, { type, reason, message, component: `${owner.kind.toLowerCase()}-controller` });
}

/** Writes a status when it differs. */
export function setStatus(api: Api, storage: string, object: KubeObject, status: JsonMap): void {
  const kept = Object.fromEntries(Object.entries(status).filter(([, value]) => value !== undefined));
  api.update(
    api.resource(storage),
    object.metadata.namespace ?? "",
    { ...object, status: kept },
    { subresource: "status" },
  );
}

/** Eight or so letters that change with a pod template. */
export function templateHash(template: JsonMap): string {
  const canonical = JSON.stringify(template, (_key, value: unknown) =>
    isMap(value) ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))) : value,
  );
  const digest = createHash("sha256").update(canonical).digest();
  const alphabet = "bcdfghjklmnpqrstvwxz2456789";
  return Array.from(digest.subarray(0, 10), (byte) => alphabet[byte % alphabet.length]).join("");
}

/** The replicas a workload wants. */
export function wanted(object: KubeObject): number {
  return numberAt(object.spec, "replicas") ?? 1;
}
