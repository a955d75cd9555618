import { randomBytes } from "node:crypto";
import type { KubeObject } from "../../../api/index.ts";
import { parseQuantity } from "../../../api/index.ts";
import { AppError } from "../../../errors.ts";
import { isAlreadyExists, isNotFound, patiently, type Resource } from "../../../kube/index.ts";
import { badArgument, plainText } from "../args.ts";
import { resources } from "../core-objects.ts";
import { pause } from "../pod/job.ts";
import { read } from "../read-object.ts";
import type { Output } from "../status.ts";
import type { Call, Func } from "./call.ts";

interface Snapshot extends KubeObject {
  readonly status?: {
    readonly readyToUse?: boolean;
    readonly creationTime?: string;
    readonly restoreSize?: string | number;
    readonly boundVolumeSnapshotContentName?: string;
    readonly error?: { readonly message?: string };
  };
}

interface SnapshotClass extends KubeObject {
  readonly deletionPolicy?: string;
}

/** Errors that a snapshot controller writes and takes back. */
const passing = /the object has been modified|VolumeSnapshotContent is missing|SnapshotFinalizerError/;
/** How often one of them may be seen before it is believed. */
const patience = 100;
const apiVersion = "snapshot.storage.k8s.io/v1";

/** CreateCSISnapshot: a snapshot of a claim, until it can be used. */
export const createSnapshot: Func = async (call) => {
  const { args, progress } = call;
  const [pvc, namespace] = [args.need("pvc"), args.need("namespace")];
  const kept = plainText(call.before?.output["name"]);
  const name = kept || args.text("name", `${pvc}-snapshot-${randomBytes(3).toString("hex").slice(0, 5)}`);
  progress.update({ step: `snapshot ${name}` });
  // The name is chance: a later process must find the snapshot that this one asked for.
  await call.keep({ name, pvc, namespace });
  await make(call, resources.snapshots, {
    apiVersion,
    kind: "VolumeSnapshot",
    metadata: { name, namespace, labels: args.textMap("labels") },
    spec: { volumeSnapshotClassName: args.need("snapshotClass"), source: { persistentVolumeClaimName: pvc } },
  });
  return { pvc, ...(await ready(call, name, namespace)) };
};

/** CreateCSISnapshotStatic: a snapshot that the storage has already, brought into the cluster. */
export const createStaticSnapshot: Func = async (call) => {
  const { args, deps, signal, progress } = call;
  const [name, namespace, className] = [
    args.need("name"),
    args.need("namespace"),
    args.need("snapshotClass"),
  ];
  progress.update({ step: `snapshot ${name}` });
  const snapshotClass = await patiently(
    () => read<SnapshotClass>(deps.client, resources.snapshotClasses, { name: className }, signal),
    deps.clock,
    signal,
  );
  const content =
    plainText(call.before?.output["snapshotContent"]) || `${name}-content-${crypto.randomUUID()}`;
  await call.keep({ snapshotContent: content });
  await make(call, resources.snapshotContents, {
    apiVersion,
    kind: "VolumeSnapshotContent",
    metadata: { name: content },
    spec: {
      driver: args.need("driver"),
      deletionPolicy: snapshotClass.deletionPolicy ?? "Delete",
      source: { snapshotHandle: args.need("snapshotHandle") },
      volumeSnapshotRef: { name, namespace },
      volumeSnapshotClassName: className,
    },
  });
  await make(call, resources.snapshots, {
    apiVersion,
    kind: "VolumeSnapshot",
    metadata: { name, namespace },
    spec: { volumeSnapshotClassName: className, source: { volumeSnapshotContentName: content } },
  });
  return ready(call, name, namespace);
};

/** RestoreCSISnapshot: a claim that the storage fills from a snapshot; whether it is bound is for its first pod to see. */
export const restoreSnapshot: Func = async (call) => {
  const { args } = call;
  const [name, pvc, namespace] = [args.need("name"), args.need("pvc"), args.need("namespace")];
  const storage = args.need("restoreSize");
  if (!((parseQuantity(storage) ?? 0) > 0))
    throw badArgument(`"restoreSize" takes a size such as 10Gi, not "${storage}"`);
  const accessModes = args.has("accessModes") ? args.texts("accessModes") : ["ReadWriteOnce"];
  const odd = accessModes.find((mode) => !["ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany"].includes(mode));
  if (odd !== undefined) throw badArgument(`"accessModes" knows no "${odd}"`);
  const volumeMode = args.text("volumeMode", "Filesystem");
  if (!["Filesystem", "Block"].includes(volumeMode))
    throw badArgument(`"volumeMode" knows no "${volumeMode}"`);
  call.progress.update({ step: `claim ${pvc}` });
  await make(call, resources.claims, {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name: pvc, namespace, labels: args.textMap("labels") },
    spec: {
      accessModes,
      volumeMode,
      storageClassName: args.need("storageClass"),
      dataSource: { apiGroup: "snapshot.storage.k8s.io", kind: "VolumeSnapshot", name },
      resources: { requests: { storage } },
    },
  });
  return {};
};

/** DeleteCSISnapshot: until it is gone; one that is not there is gone already. */
export const deleteSnapshot: Func = async (call) => {
  const { args } = call;
  await remove(call, resources.snapshots, args.need("name"), args.need("namespace"));
  return {};
};

/** DeleteCSISnapshotContent: the same for what a snapshot left behind. */
export const deleteSnapshotContent: Func = async (call) => {
  await remove(call, resources.snapshotContents, call.args.need("name"), undefined);
  return {};
};

async function make(
  call: Call,
  resource: Resource,
  object: KubeObject & Readonly<Record<string, unknown>>,
): Promise<void> {
  const { deps, signal, before } = call;
  const create = () => deps.client.create(resource, object, {}, signal);
  await patiently(create, deps.clock, signal).catch((error: unknown) => {
    if (!before || !isAlreadyExists(error)) throw error;
  });
}

async function ready(call: Call, name: string, namespace: string): Promise<Output> {
  const { deps, signal, progress } = call;
  progress.prepared("waiting until the snapshot can be used");
  for (let left = patience; ; ) {
    const get = () => read<Snapshot>(deps.client, resources.snapshots, { name, namespace }, signal);
    const { status = {} } = await patiently(get, deps.clock, signal);
    const fault = status.error?.message;
    if (status.readyToUse === true && status.creationTime) {
      progress.executed("reading its size");
      return {
        name,
        namespace,
        restoreSize: plainText(status.restoreSize),
        snapshotContent: status.boundVolumeSnapshotContentName ?? "",
      };
    }
    if (fault !== undefined) left -= 1;
    if (fault !== undefined && (!passing.test(fault) || left <= 0)) {
      throw new AppError("ACTION_COMMAND", `snapshot "${namespace}/${name}" failed: ${fault}`, {
        retry: false,
      });
    }
    progress.update({ waitingFor: fault ?? `snapshot "${name}" is not ready to use` });
    await pause(call);
  }
}

async function remove(
  call: Call,
  resource: Resource,
  name: string,
  namespace: string | undefined,
): Promise<void> {
  const { deps, signal, progress } = call;
  const place = namespace === undefined ? {} : { namespace };
  progress.update({ step: `deleting ${name}` });
  const tolerate = (error: unknown) => {
    if (!isNotFound(error)) throw error;
    return undefined;
  };
  await patiently(() => deps.client.delete(resource, name, place, signal), deps.clock, signal).catch(
    tolerate,
  );
  progress.prepared("waiting until it is gone");
  while (
    await patiently(() => deps.client.get(resource, name, place, signal), deps.clock, signal).catch(tolerate)
  ) {
    await pause(call);
  }
}
