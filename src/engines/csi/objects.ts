import { createHash } from "node:crypto";
import {
  apiVersionOf,
  type Backup,
  type DataDownload,
  type DataUpload,
  type KubeObject,
  kinds,
  type NewObject,
  type Restore,
  veleroNames,
} from "../../api/index.ts";
import { writeTrail } from "../../kinds/index.ts";
import { builtIn, labelValue, apiVersionOf as versionOf } from "../../kube/index.ts";

type Texts = Readonly<Record<string, string>>;

/** A VolumeSnapshot as the snapshot controller keeps it. */
export interface VolumeSnapshot extends KubeObject {
  readonly spec?: {
    readonly source?: {
      readonly persistentVolumeClaimName?: string;
      readonly volumeSnapshotContentName?: string;
    };
    readonly volumeSnapshotClassName?: string;
  };
  readonly status?: {
    readonly boundVolumeSnapshotContentName?: string;
    readonly creationTime?: string;
    readonly readyToUse?: boolean;
    readonly restoreSize?: string | number;
    readonly error?: { readonly message?: string };
  };
}

/** A VolumeSnapshotContent likewise. */
export interface SnapshotContent extends KubeObject {
  readonly spec?: {
    readonly deletionPolicy?: string;
    readonly driver?: string;
    readonly source?: { readonly volumeHandle?: string; readonly snapshotHandle?: string };
    readonly sourceVolumeMode?: string;
    readonly volumeSnapshotClassName?: string;
    readonly volumeSnapshotRef?: {
      readonly namespace?: string;
      readonly name?: string;
      readonly uid?: string;
    };
  };
  readonly status?: {
    readonly snapshotHandle?: string;
    readonly readyToUse?: boolean;
    readonly restoreSize?: number;
    readonly creationTime?: number;
    readonly error?: { readonly message?: string };
  };
}

/** Labels and annotations of CSI objects, as upstream has them. */
export const csiNames = {
  snapshotName: "velero.io/volume-snapshot-name",
  deletionPolicy: "velero.io/csi-vsc-deletion-policy",
  handle: "velero.io/csi-volumesnapshot-handle",
  driver: "velero.io/csi-driver-name",
  restoreSize: "velero.io/csi-volumesnapshot-restore-size",
  uploadName: "velero.io/data-upload-name",
  operationId: "velero.io/async-operation-id",
  dynamicRestore: "velero.io/dynamic-pv-restore",
  /** Ours: two backups may have one name, one after the other or in two namespaces. */
  backupUid: "headway.dev/backup-uid",
} as const;

/** The claim of a snapshot, by what is needed of it. */
export interface ClaimFacts {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly labels: Texts;
  readonly storageClass: string;
}

/**
 * The name of a snapshot: upstream's form, but always the same for one backup and claim, so that an operator that was
 * killed before it heard the answer finds what it asked for.
 */
export function snapshotNameOf(backup: Backup, claim: ClaimFacts): string {
  return `velero-${claim.name.slice(0, 230)}-${digest(`${backup.metadata.uid}/${claim.uid}`).slice(0, 10)}`;
}

/** The snapshot of a claim. */
export function newSnapshot(
  backup: Backup,
  claim: ClaimFacts,
  className: string,
): Pick<VolumeSnapshot, "apiVersion" | "kind" | "metadata" | "spec"> {
  const { name, uid = "" } = backup.metadata;
  return {
    apiVersion: versionOf(builtIn.snapshots),
    kind: "VolumeSnapshot",
    metadata: {
      name: snapshotNameOf(backup, claim),
      namespace: claim.namespace,
      labels: { ...claim.labels, [veleroNames.backupName]: labelValue(name) },
      annotations: { [csiNames.backupUid]: uid },
    },
    spec: {
      source: { persistentVolumeClaimName: claim.name },
      volumeSnapshotClassName: className,
    },
  };
}

/** The id of the operation that moves a claim's data; two UUIDs are always too long for a label. */
export function uploadIdOf(backup: Backup, claimUid: string): string {
  return labelValue(`du-${backup.metadata.uid}.${claimUid}`);
}

/** Which snapshot a DataUpload moves. */
export interface UploadFacts {
  readonly claim: ClaimFacts;
  readonly snapshot: string;
  readonly className: string;
  readonly driver: string;
  /** When the snapshot was asked for and when the driver had taken it, in epoch ms. */
  readonly taken: { readonly since: number; readonly until: number };
}

/** The DataUpload of a claim, as upstream's server makes it; always under the same name. */
export function newDataUpload(backup: Backup, from: UploadFacts): NewObject<DataUpload> {
  const { name, uid = "", namespace } = backup.metadata;
  const { claim, snapshot, className, driver, taken } = from;
  const parallel = backup.spec?.uploaderConfig?.parallelFilesUpload;
  const operationId = uploadIdOf(backup, claim.uid);
  return {
    apiVersion: apiVersionOf(kinds.DataUpload),
    kind: "DataUpload",
    metadata: {
      name: `${name.slice(0, 240)}-${digest(operationId).slice(0, 10)}`,
      ...(namespace !== undefined && { namespace }),
      ownerReferences: [owner(backup)],
      labels: {
        [veleroNames.backupName]: labelValue(name),
        [veleroNames.backupUid]: uid,
        [veleroNames.pvcUid]: claim.uid,
        [csiNames.operationId]: operationId,
      },
      ...writeTrail({ taken }),
    },
    spec: {
      snapshotType: "CSI",
      csiSnapshot: {
        volumeSnapshot: snapshot,
        storageClass: claim.storageClass,
        snapshotClass: className,
        driver,
      },
      sourcePVC: claim.name,
      sourceNamespace: claim.namespace,
      backupStorageLocation: backup.spec?.storageLocation ?? "",
      ...(backup.spec?.datamover && { datamover: backup.spec.datamover }),
      ...(parallel && { dataMoverConfig: { ParallelFilesUpload: String(parallel) } }),
      // Upstream's own choice: the waits inside the mover, not the whole of its work.
      operationTimeout: backup.spec?.csiSnapshotTimeout || "10m0s",
    },
  };
}

/** What a DataDownload brings back, and where to. */
export interface DownloadFacts {
  readonly restore: Restore;
  readonly backup: Backup;
  readonly upload: DataUpload;
  /** The claim's uid in the backup. */
  readonly claimUid: string;
  readonly target: { readonly namespace: string; readonly name: string };
}

/** The id of the operation that brings a claim's data back. */
function downloadIdOf(restore: Restore, claimUid: string): string {
  return labelValue(`dd-${restore.metadata.uid}.${claimUid}`);
}

/** The DataDownload of a claim, as upstream's server makes it; always under the same name. */
export function newDataDownload(from: DownloadFacts): NewObject<DataDownload> {
  const { restore, backup, upload, claimUid, target } = from;
  const { name, uid = "", namespace } = restore.metadata;
  const operationId = downloadIdOf(restore, claimUid);
  const { writeSparseFiles, parallelFilesDownload } = restore.spec?.uploaderConfig ?? {};
  const config = {
    ...(restore.spec?.uploaderConfig && { WriteSparseFiles: String(writeSparseFiles ?? false) }),
    ...(parallelFilesDownload && { ParallelFilesDownload: String(parallelFilesDownload) }),
  };
  const { status, spec } = upload;
  const size = status?.progress?.totalBytes;
  return {
    apiVersion: apiVersionOf(kinds.DataDownload),
    kind: "DataDownload",
    metadata: {
      name: `${name.slice(0, 240)}-${digest(operationId).slice(0, 10)}`,
      ...(namespace !== undefined && { namespace }),
      ownerReferences: [owner(restore)],
      labels: {
        [veleroNames.restoreName]: labelValue(name),
        [veleroNames.restoreUid]: uid,
        [csiNames.operationId]: operationId,
      },
      ...writeTrail({}),
    },
    spec: {
      targetVolume: { pvc: target.name, pv: "", namespace: target.namespace },
      // Of the Backup as it is now: a location may have got another name since.
      backupStorageLocation: backup.spec?.storageLocation ?? "",
      ...(spec?.datamover && { datamover: spec.datamover }),
      snapshotID: status?.snapshotID ?? "",
      sourceNamespace: spec?.sourceNamespace ?? "",
      ...(Object.keys(config).length > 0 && { dataMoverConfig: config }),
      operationTimeout: backup.spec?.csiSnapshotTimeout || "10m0s",
      ...(status?.nodeOS && { nodeOS: status.nodeOS }),
      ...(size && { snapshotSize: size }),
    },
  };
}

/** A hash as hex digits. */
export function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function owner({ apiVersion, kind, metadata }: Backup | Restore) {
  return { apiVersion, kind, name: metadata.name, uid: metadata.uid ?? "", controller: true };
}
