import { type DataDownload, isRecord, type PodVolumeBackup, type PodVolumeRestore } from "../../api/index.ts";
import { type Failure, volumeFailure } from "./blame.ts";

/** One volume of the backup, and what became of it. */
export interface VolumeVerdict {
  readonly namespace: string;
  readonly name: string;
  readonly proved: boolean;
  readonly message: string;
  readonly bytes: number | undefined;
  readonly restored: number | undefined;
  readonly failure?: Failure;
}

/** A claim as far as it says that its volume is there. */
export interface ClaimFacts {
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly status?: { readonly phase?: string };
}

interface Found {
  readonly backups: readonly PodVolumeBackup[];
  readonly restores: readonly PodVolumeRestore[];
  readonly downloads: readonly DataDownload[];
  /** Of the scratch namespaces. */
  readonly claims: readonly ClaimFacts[];
  /** What lies beside the backup about its volumes. */
  readonly infos: readonly unknown[];
  readonly target: (namespace: string) => string | undefined;
}

/** Every volume whose data the backup should hold: whether it came back, and whole. */
export function volumeVerdicts(found: Found): readonly VolumeVerdict[] {
  const copied = found.backups.flatMap((backup) => copyVerdict(backup, found));
  const claimed = found.infos.flatMap((info) => infoVerdict(info, found));
  return [...copied, ...claimed];
}

function copyVerdict(backup: PodVolumeBackup, { restores, target }: Found): readonly VolumeVerdict[] {
  const { pod, volume = "" } = backup.spec ?? {};
  const namespace = pod?.namespace ?? "";
  const place = target(namespace);
  if (place === undefined) return [];
  const name = `${pod?.name ?? ""}/${volume}`;
  const object = `volume ${namespace}/${name}`;
  const bytes = backup.status?.progress?.totalBytes ?? backup.status?.progress?.bytesDone;
  const base = { namespace, name, bytes, restored: undefined, proved: false };
  if (backup.status?.phase !== "Completed") {
    const message = `the backup does not hold it: its copy is ${backup.status?.phase ?? "New"}${words(backup.status?.message)}`;
    return [{ ...base, message, failure: { part: "backup", reason: "VolumeNotInBackup", object, message } }];
  }
  // An empty volume has no snapshot with some movers, and nothing to bring back.
  const id = backup.status.snapshotID ?? "";
  if (id === "") return [{ ...base, proved: (bytes ?? 0) === 0, restored: 0, message: "it is empty" }];
  const restore = restores.find(
    ({ spec }) => spec?.snapshotID === id && spec.pod.namespace === place && spec.volume === volume,
  );
  if (!restore) {
    const message = "its data was not asked for: no pod that uses it was restored";
    return [{ ...base, message, failure: { part: "backup", reason: "PodMissing", object, message } }];
  }
  return [{ ...base, ...judge(object, restore, bytes) }];
}

function judge(object: string, restore: PodVolumeRestore, bytes: number | undefined) {
  const { phase = "New", message = "", progress } = restore.status ?? {};
  const restored = progress?.bytesDone ?? 0;
  if (phase !== "Completed") {
    const failure = volumeFailure(object, message);
    return { restored, message: failure.message, failure };
  }
  if (bytes !== undefined && restored !== bytes) {
    const said = `${restored} bytes came back, the backup holds ${bytes}`;
    return {
      restored,
      message: said,
      failure: { part: "repository", reason: "BytesDiffer", object, message: said } as const,
    };
  }
  return { restored, proved: true, message: `all ${restored} bytes` };
}

/** Volumes that no pod's copy stands for: snapshots, and data that was moved out of them. */
function infoVerdict(info: unknown, { claims, downloads, target }: Found): readonly VolumeVerdict[] {
  const { backupMethod, pvcName, pvcNamespace, skipped } = isRecord(info) ? info : {};
  if (typeof pvcName !== "string" || typeof pvcNamespace !== "string") return [];
  if (skipped === true || (backupMethod !== "CSISnapshot" && backupMethod !== "NativeSnapshot")) return [];
  const place = target(pvcNamespace);
  if (place === undefined) return [];
  const object = `volume ${pvcNamespace}/${pvcName}`;
  const download = downloads.find(
    ({ spec }) => spec?.targetVolume?.namespace === place && spec.targetVolume.pvc === pvcName,
  );
  const bytes = download?.status?.progress?.totalBytes;
  const restored = download?.status?.progress?.bytesDone;
  const base = { namespace: pvcNamespace, name: pvcName, bytes, restored };
  if (download && download.status?.phase !== "Completed") {
    const failure = volumeFailure(object, download.status?.message ?? "");
    return [{ ...base, proved: false, message: failure.message, failure }];
  }
  const claim = claims.find(({ metadata }) => metadata.namespace === place && metadata.name === pvcName);
  const phase = claim?.status?.phase ?? "not there";
  if (phase === "Bound") return [{ ...base, proved: true, message: "its claim is bound" }];
  const message = `its claim is ${phase}`;
  return [
    {
      ...base,
      proved: false,
      message,
      failure: { part: "cluster", reason: "ClaimNotBound", object, message },
    },
  ];
}

function words(message: string | undefined): string {
  return message ? `: ${message}` : "";
}
