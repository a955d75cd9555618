import { createHash } from "node:crypto";
import {
  type Backup,
  originalVolumeAnnotation,
  type Restore,
  type VolumePluginBackup,
  type VolumePluginRestore,
  veleroNames,
} from "../../api/index.ts";
import { labelValue } from "../../kube/index.ts";
import type { SnapshotPlace } from "./place.ts";
import { placeAnnotation } from "./place.ts";

/** What is shown of a plugin that tells nothing of its bytes. */
export const silent = "no progress from this plugin";

/** The name of the object of a snapshot: the snapshot's id, or a hash of an id that cannot be a name. */
export function objectName(id: string): string {
  if (id.length <= 253 && /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/.test(id))
    return id;
  const hash = createHash("sha256").update(id).digest("hex").slice(0, 10);
  const readable = id
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(-200)
    .replaceAll(/^-+|-+$/g, "");
  return readable === "" ? `snapshot-${hash}` : `${readable}-${hash}`;
}

/** The labels, annotations and owner that make an object part of a backup. */
export function backupMeta(backup: Backup, place: SnapshotPlace) {
  const { name, uid = "" } = backup.metadata;
  return {
    labels: { [veleroNames.backupName]: labelValue(name), [veleroNames.backupUid]: uid },
    annotations: { [placeAnnotation]: JSON.stringify(place) },
    ownerReferences: [{ apiVersion: "velero.io/v1", kind: "Backup", name, uid, controller: true }],
  };
}

/** The object of a snapshot whose plugin makes none. */
export function newBackupObject(given: {
  readonly backup: Backup;
  readonly namespace: string;
  readonly volume: string;
  readonly plugin: string;
  readonly snapshotID: string;
  readonly place: SnapshotPlace;
  readonly startTimestamp: string;
}): VolumePluginBackup {
  const { backup, namespace, volume, plugin, snapshotID, place, startTimestamp } = given;
  return {
    apiVersion: "velero.io/v1",
    kind: "VolumePluginBackup",
    metadata: { name: objectName(snapshotID), namespace, ...backupMeta(backup, place) },
    spec: { volume, backup: backup.metadata.name, plugin },
    status: { phase: "InProgress", snapshotID, startTimestamp },
  };
}

/** The labels and owner that make an object part of a restore; the annotation says which volume it stands for. */
export function restoreMeta(restore: Restore, volume: string) {
  const { name, uid = "" } = restore.metadata;
  return {
    labels: { [veleroNames.restoreName]: labelValue(name), [veleroNames.restoreUid]: uid },
    annotations: { [originalVolumeAnnotation]: volume },
    ownerReferences: [{ apiVersion: "velero.io/v1", kind: "Restore", name, uid, controller: true }],
  };
}

/** The object of a volume that comes out of a snapshot, when the plugin makes none. */
export function newRestoreObject(given: {
  readonly restore: Restore;
  readonly backup: string;
  readonly namespace: string;
  readonly volume: string;
  readonly plugin: string;
  readonly snapshotID: string;
  readonly startTimestamp: string;
}): VolumePluginRestore {
  const { restore, namespace, volume, backup, plugin, snapshotID, startTimestamp } = given;
  return {
    apiVersion: "velero.io/v1",
    kind: "VolumePluginRestore",
    metadata: {
      name: objectName(`${restore.metadata.name}-${volume}`),
      namespace,
      ...restoreMeta(restore, volume),
    },
    spec: { snapshotID, backup, plugin },
    status: { phase: "New", volumeID: "", startTimestamp },
  };
}
