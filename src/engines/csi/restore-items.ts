import { type Restore, veleroNames } from "../../api/index.ts";
import { labelValue } from "../../kube/index.ts";
import { csiNames, digest } from "./objects.ts";

type Json = Readonly<Record<string, unknown>>;
type Texts = Readonly<Record<string, string>>;

/** An item of an archive or of the cluster, by what is touched of it. */
export interface RestoreItem {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Texts;
    readonly annotations?: Texts;
    readonly [field: string]: unknown;
  };
  readonly [field: string]: unknown;
}

/** Names of types as archives have them. */
export const types = {
  claims: "persistentvolumeclaims",
  snapshots: "volumesnapshots.snapshot.storage.k8s.io",
  contents: "volumesnapshotcontents.snapshot.storage.k8s.io",
  classes: "volumesnapshotclasses.snapshot.storage.k8s.io",
  uploads: "datauploads.velero.io",
} as const;

/** The name of a restored snapshot and of its content: its own in each restore, so that two of one backup never meet. */
export function restoredName(restore: Restore, snapshot: string): string {
  return digest(`${restore.metadata.uid}/${snapshot}`);
}

/** The snapshot that an archived claim was stored with. */
export function snapshotOfClaim(claim: RestoreItem): string | undefined {
  return claim.metadata.annotations?.[csiNames.snapshotName] || undefined;
}

/** The DataUpload that moved the data of an archived claim: `[namespace, name]`. */
export function uploadOfClaim(claim: RestoreItem): readonly [namespace: string, name: string] | undefined {
  const [namespace = "", name = "", ...more] = (
    claim.metadata.annotations?.[csiNames.uploadName] ?? ""
  ).split("/");
  return namespace && name && more.length === 0 ? [namespace, name] : undefined;
}

/** A claim that the driver fills out of a snapshot. */
export function claimFromSnapshot(claim: RestoreItem, snapshot: string): RestoreItem {
  const { dataSourceRef: _old, volumeName: _volume, ...spec } = record(claim["spec"]);
  const dataSource = { apiGroup: "snapshot.storage.k8s.io", kind: "VolumeSnapshot", name: snapshot };
  return { ...withoutMarks(claim), spec: { ...spec, dataSource } };
}

/** A claim that no provisioner and no other volume gets near until its data is there. */
export function claimForDownload(claim: RestoreItem, restore: Restore): RestoreItem {
  const { dataSourceRef: _ref, dataSource: _source, volumeName: _volume, ...spec } = record(claim["spec"]);
  const { namespace = "", name } = claim.metadata;
  const mark = digest(`${restore.metadata.uid}/${namespace}/${name}`).slice(0, 5);
  const selector = { matchLabels: { [csiNames.dynamicRestore]: labelValue(`${namespace}.${name}.${mark}`) } };
  return { ...withoutMarks(claim), spec: { ...spec, selector } };
}

/** A claim whose volume does not come back: it gets a new, empty one. */
export function claimAlone(claim: RestoreItem): RestoreItem {
  const { dataSourceRef: _ref, dataSource: _source, volumeName: _volume, ...spec } = record(claim["spec"]);
  return { ...withoutMarks(claim), spec };
}

/** A snapshot bound to the content of the same name. */
export function restoredSnapshot(snapshot: RestoreItem, name: string): RestoreItem {
  const { [csiNames.backupUid]: _uid, ...noted } = snapshot.metadata.annotations ?? {};
  const annotations = { ...noted, [csiNames.deletionPolicy]: "Retain" };
  // The class of the other cluster means nothing here; upstream leaves it out since 1.18.
  return {
    ...snapshot,
    metadata: { ...snapshot.metadata, name, annotations },
    spec: { source: { volumeSnapshotContentName: name } },
  };
}

/** The content that a snapshot of an archive is bound to. */
export function contentOfSnapshot(snapshot: RestoreItem): string | undefined {
  const bound = record(snapshot["status"])["boundVolumeSnapshotContentName"];
  return typeof bound === "string" && bound !== "" ? bound : undefined;
}

/** What a restored content needs to know. */
export interface ContentPlace {
  readonly name: string;
  /** Where its snapshot goes. */
  readonly namespace: string;
  /** A class of this cluster with the same driver. */
  readonly className: string | undefined;
}

/** The snapshot of the storage as an object of this cluster; throws when the archive does not know its handle. */
export function restoredContent(archived: RestoreItem, item: RestoreItem, place: ContentPlace): RestoreItem {
  const handle = record(archived["status"])["snapshotHandle"];
  if (typeof handle !== "string" || handle === "")
    throw new Error(
      `the backup does not know the snapshot's handle in the storage, so that it cannot be used`,
    );
  const { driver, sourceVolumeMode } = record(item["spec"]);
  const { name, namespace, className } = place;
  return {
    ...item,
    metadata: { ...item.metadata, name },
    spec: {
      deletionPolicy: "Retain",
      driver,
      ...(sourceVolumeMode !== undefined && { sourceVolumeMode }),
      source: { snapshotHandle: handle },
      ...(className !== undefined && { volumeSnapshotClassName: className }),
      volumeSnapshotRef: {
        apiVersion: "snapshot.storage.k8s.io/v1",
        kind: "VolumeSnapshot",
        namespace,
        name,
      },
    },
  };
}

/** The place of the snapshot that a content of an archive belongs to. */
export function snapshotOfContent(content: RestoreItem): {
  readonly namespace: string;
  readonly name: string;
} {
  const { namespace, name } = record(record(content["spec"])["volumeSnapshotRef"]);
  return {
    namespace: typeof namespace === "string" ? namespace : "",
    name: typeof name === "string" ? name : "",
  };
}

/** What the backup wrote on the claim says nothing about the restored one. */
function withoutMarks(claim: RestoreItem): RestoreItem {
  const { labels = {}, annotations = {}, ...rest } = claim.metadata;
  const { [csiNames.snapshotName]: _label, [veleroNames.backupName]: _name, ...kept } = labels;
  const { [csiNames.snapshotName]: _snapshot, [csiNames.uploadName]: _upload, ...noted } = annotations;
  return { ...claim, metadata: { ...rest, labels: kept, annotations: noted } };
}

function record(value: unknown): Json {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : {}; // checked right here
}
