import { isRecord, type PodVolumeBackup } from "../../../api/index.ts";
import { uploader } from "../volumes.ts";

/** A copy that was made with restic, and what kopia has of it. */
export interface Converted {
  /** The name of the PodVolumeBackup. */
  readonly copy: string;
  readonly resticId: string;
  readonly kopiaId: string;
  readonly bytes: number;
}

/** One copy to convert. */
export interface ResticCopy {
  readonly backup: string;
  readonly copy: string;
  readonly namespace: string;
  readonly pod: string;
  readonly volume: string;
  /** What the volume's folder was called on its node: part of what kopia files the snapshot under. */
  readonly leaf: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly resticId: string;
  /** As the copy says; absent where it does not. */
  readonly bytes?: number;
}

/** The copies of a backup that restic made and that have data. */
export function resticCopies(backup: string, copies: readonly PodVolumeBackup[]): readonly ResticCopy[] {
  return copies.flatMap((copy) => {
    const { spec, status, metadata } = copy;
    if (uploader(copy) !== "restic" || status?.snapshotID === undefined || !spec) return [];
    const bytes = status.progress?.totalBytes;
    return [
      {
        backup,
        copy: metadata.name,
        namespace: spec.pod.namespace ?? "",
        pod: spec.pod.name ?? "",
        volume: spec.volume,
        leaf: leafOf(status.path, spec.volume),
        tags: spec.tags ?? {},
        resticId: status.snapshotID,
        ...(bytes !== undefined && { bytes }),
      },
    ];
  });
}

/** The last part of a volume's path on its node, which CSI puts one higher; the volume's own name where it is not known. */
export function leafOf(path: string | undefined, volume: string): string {
  const parts = (path ?? "").split("/").filter((part) => part !== "");
  if (parts.at(-1) === "mount") parts.pop();
  const leaf = parts.at(-1);
  return leaf !== undefined && /^[A-Za-z0-9][A-Za-z0-9._-]{0,252}$/.test(leaf) ? leaf : volume;
}

/** The stored list of copies with kopia's snapshots in place of restic's; every other field stays as it is. */
export function rewriteCopies(list: readonly unknown[], done: readonly Converted[]): readonly unknown[] {
  const byCopy = new Map(done.map((one) => [one.copy, one]));
  return list.map((copy) => {
    const { metadata, spec, status } = fieldsOf(copy);
    if (spec["uploaderType"] === "kopia") return copy;
    const converted = byCopy.get(String(metadata["name"]));
    // What has no snapshot has no data either: an empty volume, or a copy that failed.
    if (!converted && status["snapshotID"]) return copy;
    const progress = converted && { progress: { totalBytes: converted.bytes, bytesDone: converted.bytes } };
    return {
      ...fieldsOf(copy).all,
      spec: { ...spec, uploaderType: "kopia", repoIdentifier: "" },
      status: { ...status, ...(converted && { snapshotID: converted.kopiaId }), ...progress },
    };
  });
}

/** The stored volume info, likewise. */
export function rewriteInfos(list: readonly unknown[], done: readonly Converted[]): readonly unknown[] {
  const bySnapshot = new Map(done.map((one) => [one.resticId, one]));
  return list.map((info) => {
    const copied = isRecord(info) ? info["pvbInfo"] : undefined;
    if (!isRecord(info) || !isRecord(copied) || copied["uploaderType"] === "kopia") return info;
    const handle = copied["snapshotHandle"];
    const converted = typeof handle === "string" ? bySnapshot.get(handle) : undefined;
    if (!converted && handle) return info;
    return {
      ...info,
      pvbInfo: {
        ...copied,
        uploaderType: "kopia",
        ...(converted && { snapshotHandle: converted.kopiaId, size: converted.bytes }),
      },
    };
  });
}

function fieldsOf(copy: unknown) {
  const all = isRecord(copy) ? copy : {};
  const part = (name: string) => (isRecord(all[name]) ? all[name] : {});
  return { all, metadata: part("metadata"), spec: part("spec"), status: part("status") };
}
