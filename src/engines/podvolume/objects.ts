import {
  apiVersionOf,
  type Backup,
  type Grammar,
  grammar,
  kinds,
  type NewObject,
  type PodVolumeBackup,
  type PodVolumeRestore,
  type Restore,
  veleroNames,
} from "../../api/index.ts";
import { AppError } from "../../errors.ts";
import { writeExpected } from "../../kinds/index.ts";
import { labelValue } from "../../kube/index.ts";
import { definitionOf, type MoverKind, moverKind, unnamedMover } from "../../movers/index.ts";
import type { PodObject } from "./pod.ts";

/** The programs that copy. */
export type Uploader = MoverKind;

/** The claim behind a volume. */
interface ClaimFacts {
  readonly name: string;
  readonly uid: string;
}

/** What a PodVolumeBackup is made of. */
export interface BackupVolume {
  readonly backup: Backup;
  readonly pod: PodObject;
  readonly volume: string;
  readonly claim?: ClaimFacts | undefined;
  readonly uploader: Uploader;
  /** The size of the last copy of the same volume. */
  readonly expectedBytes?: number | undefined;
}

/** A new PodVolumeBackup, as upstream's server makes it. */
export function newPodVolumeBackup(from: BackupVolume): NewObject<PodVolumeBackup> {
  const { backup, pod, volume, claim, uploader, expectedBytes } = from;
  const annotations = {
    ...(claim && { [veleroNames.pvcName]: claim.name }),
    ...writeExpected(expectedBytes),
  };
  const { name, uid = "", namespace } = backup.metadata;
  const { namespace: podNamespace = "", name: podName, uid: podUid = "" } = pod.metadata;
  const parallel = backup.spec?.uploaderConfig?.parallelFilesUpload;
  return {
    apiVersion: apiVersionOf(kinds.PodVolumeBackup),
    kind: "PodVolumeBackup",
    metadata: {
      generateName: `${name}-`,
      ...(namespace !== undefined && { namespace }),
      ownerReferences: [owner(backup)],
      labels: {
        [veleroNames.backupName]: labelValue(name),
        [veleroNames.backupUid]: uid,
        ...(claim && { [veleroNames.pvcUid]: claim.uid }),
      },
      ...(Object.keys(annotations).length > 0 && { annotations }),
    },
    spec: {
      node: pod.spec?.nodeName ?? "",
      pod: { kind: "Pod", namespace: podNamespace, name: podName, uid: podUid },
      volume,
      backupStorageLocation: backup.spec?.storageLocation ?? "",
      repoIdentifier: "",
      uploaderType: uploader,
      tags: {
        backup: name,
        "backup-uid": uid,
        pod: podName,
        "pod-uid": podUid,
        ns: podNamespace,
        volume,
        ...(claim && { "pvc-uid": claim.uid }),
      },
      ...(parallel && { uploaderSettings: { ParallelFilesUpload: String(parallel) } }),
    },
  };
}

/** What a PodVolumeRestore is made of. */
export interface RestoreVolume {
  readonly restore: Restore;
  readonly pod: { readonly namespace: string; readonly name: string; readonly uid: string };
  readonly backup: PodVolumeBackup;
  readonly sourceNamespace: string;
}

/** A new PodVolumeRestore, as upstream's server makes it. */
export function newPodVolumeRestore(from: RestoreVolume): NewObject<PodVolumeRestore> {
  const { restore, pod, backup, sourceNamespace } = from;
  const { name, uid = "", namespace } = restore.metadata;
  const { spec, status } = backup;
  const size = status?.progress?.totalBytes;
  const settings = uploaderSettings(restore);
  const claimUid = backup.metadata.labels?.[veleroNames.pvcUid];
  return {
    apiVersion: apiVersionOf(kinds.PodVolumeRestore),
    kind: "PodVolumeRestore",
    metadata: {
      generateName: `${name}-`,
      ...(namespace !== undefined && { namespace }),
      ownerReferences: [owner(restore)],
      labels: {
        [veleroNames.restoreName]: labelValue(name),
        [veleroNames.restoreUid]: uid,
        [veleroNames.podUid]: pod.uid,
        ...(claimUid !== undefined && { [veleroNames.pvcUid]: claimUid }),
      },
    },
    spec: {
      pod: { kind: "Pod", ...pod },
      volume: spec?.volume ?? "",
      backupStorageLocation: spec?.backupStorageLocation ?? "",
      repoIdentifier: "",
      snapshotID: snapshotOf(backup),
      sourceNamespace: formed("the namespace", sourceNamespace, grammar.namespace),
      uploaderType: uploaderOf(spec),
      ...(size && { snapshotSize: size }),
      ...(settings && { uploaderSettings: settings }),
    },
  };
}

/** The snapshot that a copy left; refused when it is none of its program's, since the object may be anybody's. */
export function snapshotOf({ spec, status }: Pick<PodVolumeBackup, "spec" | "status">): string {
  return formed("the snapshot", status?.snapshotID ?? "", definitionOf(uploaderOf(spec)).snapshot);
}

function formed(what: string, found: string, { words, fits }: Pick<Grammar, "words" | "fits">): string {
  if (fits(found)) return found;
  const shown = JSON.stringify(found.length > 80 ? `${found.slice(0, 80)}…` : found);
  throw new AppError("MOVER_ARGUMENT", `${what} of the copy is ${shown}, not ${words}`, { retry: false });
}

/** The program of a volume's copy. */
export function uploaderOf(spec: { readonly uploaderType?: string } | null | undefined): Uploader {
  return moverKind(spec?.uploaderType) ?? unnamedMover;
}

function uploaderSettings(restore: Restore): Record<string, string> | undefined {
  const { writeSparseFiles, parallelFilesDownload } = restore.spec?.uploaderConfig ?? {};
  const settings = {
    ...(typeof writeSparseFiles === "boolean" && { WriteSparseFiles: String(writeSparseFiles) }),
    ...(parallelFilesDownload && { ParallelFilesDownload: String(parallelFilesDownload) }),
  };
  return Object.keys(settings).length > 0 ? settings : undefined;
}

function owner({ apiVersion, kind, metadata }: Backup | Restore) {
  return { apiVersion, kind, name: metadata.name, uid: metadata.uid ?? "", controller: true };
}
