import { cpSync, existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Api } from "../api.ts";
import { type JsonMap, type KubeObject, mapAt, stamp, textAt } from "../object.ts";
import { type Controller, keyOf } from "./controller.ts";

const group = "snapshot.storage.k8s.io";
const snapshotStorage = `volumesnapshots.${group}`;
const contentStorage = `volumesnapshotcontents.${group}`;
const classStorage = `volumesnapshotclasses.${group}`;
const protection = "snapshot.storage.kubernetes.io/volumesnapshot-bound-protection";
const contentProtection = "snapshot.storage.kubernetes.io/volumesnapshotcontent-bound-protection";

/** The driver whose volumes are folders that can be snapshotted. */
export const snapshotDriver = "csi.headway.dev";

/** Makes the cluster one whose storage takes snapshots: the three kinds, a StorageClass and a VolumeSnapshotClass. */
export function installSnapshots(api: Api): void {
  define(api, "VolumeSnapshot", "volumesnapshots", "Namespaced");
  define(api, "VolumeSnapshotContent", "volumesnapshotcontents", "Cluster");
  define(api, "VolumeSnapshotClass", "volumesnapshotclasses", "Cluster");
  ensure(api, "storageclasses.storage.k8s.io", {
    kind: "StorageClass",
    apiVersion: "storage.k8s.io/v1",
    metadata: { name: "csi-folder" },
    provisioner: snapshotDriver,
    reclaimPolicy: "Delete",
    volumeBindingMode: "Immediate",
  });
  ensure(api, classStorage, {
    kind: "VolumeSnapshotClass",
    apiVersion: `${group}/v1`,
    metadata: {
      name: "csi-folder",
      annotations: { "snapshot.storage.kubernetes.io/is-default-class": "true" },
    },
    driver: snapshotDriver,
    deletionPolicy: "Delete",
  });
}

function define(api: Api, kind: string, plural: string, scope: string): void {
  const any = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const subresources = kind === "VolumeSnapshotClass" ? {} : { subresources: { status: {} } };
  ensure(api, "customresourcedefinitions.apiextensions.k8s.io", {
    kind: "CustomResourceDefinition",
    apiVersion: "apiextensions.k8s.io/v1",
    metadata: { name: `${plural}.${group}`, annotations: { "api-approved.kubernetes.io": "unapproved" } },
    spec: {
      group,
      scope,
      names: { plural, kind },
      versions: [
        { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: any }, ...subresources },
      ],
    },
  });
}

function ensure(api: Api, storage: string, object: KubeObject): void {
  if (api.read(storage, "", object.metadata.name)) return;
  api.create(api.resource(storage), "", object);
}

/**
 * The snapshot controller and its driver in one: a snapshot is a copy of the volume's folder. The parameter `fault` of a class
 * makes the driver `fail`, `hang`, say `never-ready`, or `lie` that a snapshot is ready which it has not taken.
 */
export function snapshots(volumes: string, kept: string): Controller {
  return {
    name: "snapshots",
    watches: {
      // A content that goes waits for its snapshot to be gone.
      [snapshotStorage]: (o) => {
        const bound = textAt(o.status, "boundVolumeSnapshotContentName");
        return [keyOf(o), ...(bound === undefined ? [] : [`content/${bound}`])];
      },
      [contentStorage]: (o) => {
        const ref = mapAt(o.spec, "volumeSnapshotRef");
        return [
          `content/${o.metadata.name}`,
          `${textAt(ref, "namespace") ?? ""}/${textAt(ref, "name") ?? ""}`,
        ];
      },
    },
    reconcile(api, namespace, name) {
      if (namespace === "content") return content(api, name, volumes, kept);
      const found = api.read(snapshotStorage, namespace, name);
      if (!found) return;
      if (found.metadata.deletionTimestamp !== undefined) release(api, found);
      else bind(api, found);
    },
  };
}

/** The folder of a snapshot that can be restored from; undefined when there is none. */
export function readyFolder(api: Api, namespace: string, name: string, kept: string): string | undefined {
  const bound = textAt(api.read(snapshotStorage, namespace, name)?.status, "boundVolumeSnapshotContentName");
  const status = bound === undefined ? undefined : api.read(contentStorage, "", bound)?.status;
  const handle = textAt(status, "snapshotHandle");
  if (handle === undefined || status?.["readyToUse"] !== true) return undefined;
  const folder = join(kept, handle);
  return existsSync(folder) ? folder : undefined;
}

function bind(api: Api, snapshot: KubeObject): void {
  const { namespace = "", name, uid } = snapshot.metadata;
  const source = mapAt(snapshot.spec, "source");
  const given = textAt(source, "volumeSnapshotContentName");
  const bound = given ?? `snapcontent-${uid}`;
  let found = api.read(contentStorage, "", bound);
  if (!found && given === undefined) found = makeContent(api, snapshot, bound);
  const ref = mapAt(found?.spec, "volumeSnapshotRef");
  if (!found || ref["name"] !== name || ref["namespace"] !== namespace) return;
  if (!snapshot.metadata.finalizers?.includes(protection))
    api.modify(api.resource(snapshotStorage), namespace, name, (o) => {
      o.metadata.finalizers = [...(o.metadata.finalizers ?? []), protection];
    });
  const { status } = found;
  const error = mapAt(status, "error");
  setStatus(api, snapshotStorage, snapshot, {
    boundVolumeSnapshotContentName: bound,
    readyToUse: status?.["readyToUse"] === true,
    ...(typeof status?.["restoreSize"] === "number" && { restoreSize: String(status["restoreSize"]) }),
    ...(status?.["creationTime"] !== undefined && {
      creationTime: stamp(Number(status["creationTime"]) / 1e6),
    }),
    ...(textAt(error, "message") !== undefined && { error }),
  });
}

function makeContent(api: Api, snapshot: KubeObject, name: string): KubeObject | undefined {
  const { namespace = "", uid } = snapshot.metadata;
  const claimName = textAt(mapAt(snapshot.spec, "source"), "persistentVolumeClaimName") ?? "";
  const claim = api.read("persistentvolumeclaims", namespace, claimName);
  const volume = api.read("persistentvolumes", "", textAt(claim?.spec, "volumeName") ?? "");
  const className = textAt(snapshot.spec, "volumeSnapshotClassName") ?? "";
  const snapshotClass = api.read(classStorage, "", className);
  const csi = mapAt(volume?.spec, "csi");
  if (!claim || !snapshotClass || csi["driver"] !== snapshotDriver) {
    const message = `Failed to create snapshot content: claim "${claimName}" or class "${className}" does not fit`;
    setStatus(api, snapshotStorage, snapshot, { readyToUse: false, error: { message } });
    return undefined;
  }
  return api.create(api.resource(contentStorage), "", {
    kind: "VolumeSnapshotContent",
    apiVersion: `${group}/v1`,
    metadata: { name, finalizers: [contentProtection] },
    spec: {
      deletionPolicy: textAt(snapshotClass, "deletionPolicy") ?? "Delete",
      driver: snapshotDriver,
      source: { volumeHandle: csi["volumeHandle"] },
      volumeSnapshotClassName: className,
      volumeSnapshotRef: {
        apiVersion: `${group}/v1`,
        kind: "VolumeSnapshot",
        namespace,
        name: snapshot.metadata.name,
        uid,
      },
    },
  });
}

function release(api: Api, snapshot: KubeObject): void {
  const { namespace = "", name } = snapshot.metadata;
  const bound = textAt(snapshot.status, "boundVolumeSnapshotContentName") ?? "";
  const found = api.read(contentStorage, "", bound);
  const isDoomed = found && textAt(found.spec, "deletionPolicy") === "Delete";
  if (isDoomed && found.metadata.deletionTimestamp === undefined)
    api.delete(api.resource(contentStorage), "", bound);
  if (!snapshot.metadata.finalizers?.includes(protection)) return;
  api.modify(api.resource(snapshotStorage), namespace, name, (o) => {
    o.metadata.finalizers = (o.metadata.finalizers ?? []).filter((f) => f !== protection);
  });
}

function content(api: Api, name: string, volumes: string, kept: string): void {
  const found = api.read(contentStorage, "", name);
  if (!found || textAt(found.spec, "driver") !== snapshotDriver) return;
  const handle = textAt(found.status, "snapshotHandle");
  if (found.metadata.deletionTimestamp !== undefined) return removeContent(api, found, kept);
  if (!found.metadata.finalizers?.includes(contentProtection)) {
    api.modify(api.resource(contentStorage), "", name, (o) => {
      o.metadata.finalizers = [...(o.metadata.finalizers ?? []), contentProtection];
    });
  }
  if (handle !== undefined || mapAt(found.status, "error")["message"] !== undefined) return;
  const source = mapAt(found.spec, "source");
  const known = textAt(source, "snapshotHandle");
  if (known === undefined) return takeCopy(api, found, textAt(source, "volumeHandle") ?? "", volumes, kept);
  const isThere = existsSync(join(kept, known));
  setStatus(api, contentStorage, found, {
    ...(isThere ? { snapshotHandle: known } : {}),
    readyToUse: isThere,
    ...(!isThere && { error: { message: `snapshot "${known}" is not known to ${snapshotDriver}` } }),
  });
}

function takeCopy(api: Api, found: KubeObject, volume: string, volumes: string, kept: string): void {
  const snapshotClass = api.read(classStorage, "", textAt(found.spec, "volumeSnapshotClassName") ?? "");
  const fault = textAt(mapAt(snapshotClass, "parameters"), "fault");
  if (fault === "hang") return;
  if (fault === "lie") return setStatus(api, contentStorage, found, { readyToUse: true });
  if (fault === "fail") {
    const message = "rpc error: code = ResourceExhausted desc = the pool is full";
    return setStatus(api, contentStorage, found, { readyToUse: false, error: { message } });
  }
  const snapshotHandle = `snap-${found.metadata.uid}`;
  mkdirSync(kept, { recursive: true });
  cpSync(join(volumes, volume), join(kept, snapshotHandle), { recursive: true, preserveTimestamps: true });
  const creationTime = api.now() * 1e6;
  const readyToUse = fault !== "never-ready";
  setStatus(api, contentStorage, found, { snapshotHandle, readyToUse, creationTime, restoreSize: 0 });
}

/** A content goes after its snapshot, and takes the storage's copy along when it may. */
function removeContent(api: Api, found: KubeObject, kept: string): void {
  const ref = mapAt(found.spec, "volumeSnapshotRef");
  const holder = api.read(snapshotStorage, textAt(ref, "namespace") ?? "", textAt(ref, "name") ?? "");
  if (holder && holder.metadata.deletionTimestamp === undefined) return;
  const handle =
    textAt(found.status, "snapshotHandle") ?? textAt(mapAt(found.spec, "source"), "snapshotHandle");
  if (textAt(found.spec, "deletionPolicy") === "Delete" && handle !== undefined)
    rmSync(join(kept, handle), { recursive: true, force: true });
  if (!found.metadata.finalizers?.includes(contentProtection)) return;
  api.modify(api.resource(contentStorage), "", found.metadata.name, (o) => {
    o.metadata.finalizers = (o.metadata.finalizers ?? []).filter((f) => f !== contentProtection);
  });
}

function setStatus(api: Api, storage: string, { metadata }: KubeObject, status: JsonMap): void {
  const place = metadata.namespace ?? "";
  const before = api.read(storage, place, metadata.name)?.status;
  if (JSON.stringify(before) === JSON.stringify(status)) return;
  const change = (o: KubeObject): void => {
    o.status = { ...status };
  };
  api.modify(api.resource(storage), place, metadata.name, change, { subresource: "status" });
}
