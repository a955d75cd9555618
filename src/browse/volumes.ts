import { type Backup, type DataUpload, isRecord, type PodVolumeBackup, veleroNames } from "../api/index.ts";
import { uploaderOf } from "../engines/podvolume/index.ts";
import { definitionOf, type MoverKind, moverKind, snapshotMover } from "../movers/index.ts";
import { addressText, type VolumeName } from "./address.ts";

/** A volume whose files a backup keeps in a repository. */
export interface StoredVolume {
  readonly name: VolumeName;
  readonly uploader: MoverKind;
  readonly snapshotId: string;
  readonly location: string;
  readonly bytes?: number;
  /** The claim behind a pod's volume, where it is known. */
  readonly claim?: string;
}

/** Names of the data mover whose repositories are Velero's own; what others store is theirs to read. */
const ours: readonly string[] = ["", "velero", "velero-fs"];

/** Everything that tells of a backup's volumes. */
interface Sources {
  readonly copies: readonly PodVolumeBackup[];
  readonly uploads: readonly DataUpload[];
  /** The file of volume informations, unread: whoever can write to the bucket decides what it holds. */
  readonly infos: unknown;
}

/** The volumes whose files can be read, in the order of their addresses. What the cluster knows goes before the stored file. */
export function volumesOf(backup: Backup, { copies, uploads, infos }: Sources): readonly StoredVolume[] {
  const location = backup.spec?.storageLocation ?? "";
  const found = new Map<string, StoredVolume>();
  const all = [...copies.map(ofCopy), ...uploads.map(ofUpload), ...ofInfos(infos, location)];
  for (const volume of all) {
    if (!volume || !isSnapshot(volume)) continue;
    const key = addressText(volume.name);
    if (!found.has(key)) found.set(key, volume);
  }
  return [...found].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, volume]) => volume);
}

function isSnapshot({ uploader, snapshotId }: StoredVolume): boolean {
  return definitionOf(uploader).snapshot.fits(snapshotId);
}

function ofCopy({ metadata, spec, status }: PodVolumeBackup): StoredVolume | undefined {
  if (!spec || !status?.snapshotID) return undefined;
  const claim = metadata.annotations?.[veleroNames.pvcName];
  return {
    name: { namespace: spec.pod.namespace ?? "", pod: spec.pod.name ?? "", volume: spec.volume },
    uploader: uploaderOf(spec),
    snapshotId: status.snapshotID,
    location: spec.backupStorageLocation,
    ...size(status.progress?.totalBytes),
    ...(claim && { claim }),
  };
}

function ofUpload({ spec, status }: DataUpload): StoredVolume | undefined {
  if (!spec || !status?.snapshotID || !ours.includes(spec.datamover ?? "")) return undefined;
  return {
    name: { namespace: spec.sourceNamespace, claim: spec.sourcePVC },
    uploader: snapshotMover,
    snapshotId: status.snapshotID,
    location: spec.backupStorageLocation,
    ...size(status.progress?.totalBytes),
  };
}

function ofInfos(infos: unknown, location: string): readonly (StoredVolume | undefined)[] {
  if (!Array.isArray(infos)) return [];
  return infos.filter(isRecord).map((info) => {
    const { pvbInfo: copy, snapshotDataMovementInfo: moved } = info;
    if (isRecord(copy)) {
      const uploader = moverKind(word(copy["uploaderType"]));
      const name = {
        namespace: word(copy["podNamespace"]),
        pod: word(copy["podName"]),
        volume: word(copy["volumeName"]),
      };
      return (
        uploader && {
          name,
          uploader,
          snapshotId: word(copy["snapshotHandle"]),
          location,
          ...size(copy["size"]),
        }
      );
    }
    if (!isRecord(moved) || !ours.includes(word(moved["dataMover"]))) return undefined;
    return {
      name: { namespace: word(info["pvcNamespace"]), claim: word(info["pvcName"]) },
      uploader: moverKind(word(moved["uploaderType"])) ?? snapshotMover,
      snapshotId: word(moved["snapshotHandle"]),
      location,
      ...size(moved["size"]),
    };
  });
}

function size(bytes: unknown): { readonly bytes?: number } {
  return typeof bytes === "number" && bytes > 0 ? { bytes } : {};
}

function word(value: unknown): string {
  return typeof value === "string" ? value : "";
}
