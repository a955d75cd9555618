import type { PodVolumeBackup, VolumePluginBackup } from "../../api/index.ts";
import { veleroNames } from "../../api/index.ts";
import type { StoredSnapshot } from "./snapshots.ts";

/** A volume as the store describes it; keys, capitals included, are upstream's. */
export interface VolumeInfo {
  readonly pvcName?: string;
  readonly pvcNamespace?: string;
  readonly pvName?: string;
  readonly backupMethod?: "NativeSnapshot" | "PodVolumeBackup" | "CSISnapshot";
  readonly snapshotDataMoved: boolean;
  readonly preserveLocalSnapshot: boolean;
  readonly skipped: boolean;
  readonly skippedReason?: string;
  readonly startTimestamp?: string;
  readonly completionTimestamp?: string;
  readonly result?: "succeeded" | "failed";
  readonly pvbInfo?: Readonly<Record<string, unknown>>;
  readonly nativeSnapshotInfo?: Readonly<Record<string, unknown>>;
  readonly csiSnapshotInfo?: Readonly<Record<string, unknown>>;
  readonly snapshotDataMovementInfo?: Readonly<Record<string, unknown>>;
  readonly pvInfo?: { readonly reclaimPolicy?: string; readonly labels?: Readonly<Record<string, string>> };
}

/** What is remembered of a PersistentVolume that was stored. */
export interface VolumeSeen {
  readonly name: string;
  readonly claim?: { readonly namespace: string; readonly name: string } | undefined;
  readonly reclaimPolicy?: string | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  /** Why it has no snapshot. */
  readonly skipped?: string | undefined;
}

/** Reads what volume infos need of a PersistentVolume. */
export function volumeSeen(volume: Readonly<Record<string, unknown>>, skipped?: string): VolumeSeen {
  const { metadata, spec } = volume as {
    metadata: { name: string; labels?: Record<string, string> };
    spec?: { claimRef?: { namespace?: string; name?: string }; persistentVolumeReclaimPolicy?: string };
  }; // the server's own shape
  const { claimRef } = spec ?? {};
  return {
    name: metadata.name,
    claim: claimRef?.name ? { namespace: claimRef.namespace ?? "", name: claimRef.name } : undefined,
    reclaimPolicy: spec?.persistentVolumeReclaimPolicy,
    labels: metadata.labels,
    skipped,
  };
}

/** Everybody who keeps the data of volumes. */
export interface InfoSources {
  readonly copies: readonly PodVolumeBackup[];
  readonly native: readonly StoredSnapshot[];
  readonly plugins?: readonly VolumePluginBackup[] | undefined;
  /** As the engine of CSI snapshots writes them. */
  readonly csi?: readonly VolumeInfo[] | undefined;
}

/** The volume infos of a backup: copied volumes, snapshotted ones, and those that were left alone. */
export function volumeInfos(
  volumes: readonly VolumeSeen[],
  { copies, native: snapshots, plugins = [], csi = [] }: InfoSources,
): VolumeInfo[] {
  const byClaim = new Map(
    volumes.flatMap((v) => (v.claim ? [[`${v.claim.namespace}/${v.claim.name}`, v] as const] : [])),
  );
  const copied = copies.map((copy) => {
    const claim = copy.metadata.annotations?.[veleroNames.pvcName];
    return {
      copy,
      volume: claim === undefined ? undefined : byClaim.get(`${copy.spec?.pod.namespace}/${claim}`),
    };
  });
  const done = new Set(copied.flatMap(({ volume }) => (volume ? [volume.name] : [])));
  const native = snapshots.map((snapshot) => ({
    snapshot,
    volume: volumes.find((v) => v.name === snapshot.spec.persistentVolumeName),
  }));
  for (const { snapshot } of native) done.add(snapshot.spec.persistentVolumeName);
  for (const { pvName } of csi) if (pvName !== undefined) done.add(pvName);
  return [
    ...copied.map(({ copy, volume }) => copyInfo(copy, volume)),
    ...native.map(({ snapshot, volume }) => nativeInfo(snapshot, volume, plugins)),
    ...csi,
    ...volumes.filter((v) => !done.has(v.name)).map(skippedInfo),
  ];
}

const plain = { snapshotDataMoved: false, preserveLocalSnapshot: false, skipped: false } as const;

function copyInfo(copy: PodVolumeBackup, volume: VolumeSeen | undefined): VolumeInfo {
  const { spec, status } = copy;
  const claim = copy.metadata.annotations?.[veleroNames.pvcName];
  const { startTimestamp, completionTimestamp, phase } = status ?? {};
  return {
    ...(claim !== undefined && { pvcName: claim, pvcNamespace: spec?.pod.namespace ?? "" }),
    ...(volume && { pvName: volume.name }),
    backupMethod: "PodVolumeBackup",
    ...plain,
    ...(startTimestamp && { startTimestamp }),
    ...(completionTimestamp && { completionTimestamp }),
    result: phase === "Completed" ? "succeeded" : "failed",
    pvbInfo: {
      snapshotHandle: status?.snapshotID ?? "",
      size: status?.progress?.totalBytes ?? 0,
      ...(status?.incrementalBytes ? { incrementalSize: status.incrementalBytes } : {}),
      uploaderType: spec?.uploaderType ?? "",
      volumeName: spec?.volume ?? "",
      podName: spec?.pod.name ?? "",
      podNamespace: spec?.pod.namespace ?? "",
      nodeName: spec?.node ?? "",
      Phase: phase ?? "",
    },
    ...pvInfo(volume),
  };
}

function nativeInfo(
  { spec, status }: StoredSnapshot,
  volume: VolumeSeen | undefined,
  plugins: readonly VolumePluginBackup[],
): VolumeInfo {
  const object = plugins.find((one) => one.spec?.volume === spec.persistentVolumeName);
  const { startTimestamp, completionTimestamp } = object?.status ?? {};
  return {
    ...claimOf(volume),
    pvName: spec.persistentVolumeName,
    backupMethod: "NativeSnapshot",
    ...plain,
    ...(startTimestamp && { startTimestamp }),
    ...(completionTimestamp && { completionTimestamp }),
    result: status.phase === "Completed" ? "succeeded" : "failed",
    nativeSnapshotInfo: {
      snapshotHandle: status.providerSnapshotID ?? "",
      volumeType: spec.volumeType,
      volumeAZ: spec.volumeAZ ?? "",
      iops: String(spec.volumeIOPS ?? 0),
      Phase: status.phase,
    },
    ...pvInfo(volume),
  };
}

function skippedInfo(volume: VolumeSeen): VolumeInfo {
  return {
    ...claimOf(volume),
    pvName: volume.name,
    ...plain,
    skipped: true,
    skippedReason:
      volume.skipped ?? "no location of the backup can snapshot it, and its files are not copied",
    ...pvInfo(volume),
  };
}

function claimOf(volume: VolumeSeen | undefined) {
  return volume?.claim ? { pvcName: volume.claim.name, pvcNamespace: volume.claim.namespace } : {};
}

function pvInfo(volume: VolumeSeen | undefined) {
  if (!volume) return {};
  const { reclaimPolicy, labels } = volume;
  return { pvInfo: { ...(reclaimPolicy && { reclaimPolicy }), ...(labels && { labels }) } };
}
