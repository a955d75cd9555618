import { mkdirSync } from "node:fs";
import { join } from "node:path";
import {
  type Backup,
  type KubeObject,
  kinds,
  type Restore,
  type VolumePluginBackup,
  type VolumePluginRestore,
} from "../../src/api/index.ts";
import { resourceOf } from "../../src/kube/index.ts";
import { type BackupStage, core } from "./backup-stage.ts";
import { eventually } from "./eventually.ts";

export const pluginBackups = resourceOf(kinds.VolumePluginBackup);
export const pluginRestores = resourceOf(kinds.VolumePluginRestore);
const restores = resourceOf(kinds.Restore);
export const snapshotLocations = resourceOf(kinds.VolumeSnapshotLocation);
export const volumes = core("persistentvolumes", "PersistentVolume", false);
export const claims = core("persistentvolumeclaims", "PersistentVolumeClaim");

/** A place for snapshots. */
export async function snapshotLocation(
  stage: BackupStage,
  name: string,
  provider: string,
  config: Readonly<Record<string, string>> = {},
): Promise<void> {
  await stage.client.create(snapshotLocations, {
    apiVersion: "velero.io/v1",
    kind: "VolumeSnapshotLocation",
    metadata: { name, namespace: stage.namespace },
    spec: { provider, config },
  });
}

/** A volume that test plugins know by its path, with a label of its own; it is bound to nothing. */
export async function pathVolume(stage: BackupStage, behaviour: string): Promise<string> {
  const name = `${behaviour}-${crypto.randomUUID().slice(0, 8)}`;
  await stage.client.create(volumes, {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name, labels: { case: name } },
    spec: {
      accessModes: ["ReadWriteOnce"],
      capacity: { storage: "1Gi" },
      storageClassName: "",
      persistentVolumeReclaimPolicy: "Retain",
      hostPath: { path: `/${behaviour}/${name}` },
    },
  });
  return name;
}

/** A claim with a folder of this machine behind it; returns the folder. */
export async function folderClaim(stage: BackupStage, namespace: string, name: string): Promise<string> {
  const path = join(stage.folder, "volumes", `${namespace}-${name}`);
  mkdirSync(path, { recursive: true });
  const volume = `${namespace}-${name}`;
  const common = { accessModes: ["ReadWriteOnce"], storageClassName: "" };
  await stage.client.create(volumes, {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name: volume, labels: { "topology.kubernetes.io/zone": "zone-a" } },
    spec: {
      ...common,
      capacity: { storage: "1Gi" },
      persistentVolumeReclaimPolicy: "Retain",
      claimRef: { namespace, name },
      hostPath: { path },
    },
  });
  await stage.client.create(claims, {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name, namespace },
    spec: { ...common, resources: { requests: { storage: "1Gi" } }, volumeName: volume },
  });
  // A backup looks for the volume of a claim that is bound, not of one that waits.
  await eventually(
    () => stage.client.get<KubeObject & { status?: { phase?: string } }>(claims, name, { namespace }),
    ({ status }) => status?.phase === "Bound",
  );
  return path;
}

/** Restores a backup and waits for the end. */
export async function restored(stage: BackupStage, name: string, spec: object): Promise<Restore> {
  const { client, namespace } = stage;
  await client.create(restores, {
    apiVersion: "velero.io/v1",
    kind: "Restore",
    metadata: { name, namespace },
    spec,
  });
  return eventually(
    () => client.get<Restore>(restores, name, { namespace }),
    ({ status }) => /^(Completed|PartiallyFailed|Failed|FailedValidation)$/.test(status?.phase ?? ""),
    120_000,
  );
}

/** The objects of a backup's snapshots. */
export async function backupObjects(stage: BackupStage, backup: Backup): Promise<VolumePluginBackup[]> {
  const { client, namespace } = stage;
  const labelSelector = `velero.io/backup-name=${backup.metadata.name}`;
  return client.list<VolumePluginBackup>(pluginBackups, { namespace, labelSelector });
}

/** The objects of all volumes that restores made. */
export function restoreObjects({ client, namespace }: BackupStage): Promise<VolumePluginRestore[]> {
  return client.list<VolumePluginRestore>(pluginRestores, { namespace });
}
