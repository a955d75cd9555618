import { gzipSync } from "node:zlib";
import { backupKey, type Store } from "../../src/store/index.ts";
import { tarGz } from "./tar.ts";

/** One copied volume of a backup that a test makes. */
export interface CopiedVolume {
  readonly namespace: string;
  readonly pod: string;
  readonly volume: string;
  /** Left out: as releases before 1.10 wrote it, which means restic. */
  readonly uploader?: "kopia" | "restic";
  readonly snapshotId?: string;
  readonly claim?: string;
  readonly bytes?: number;
  readonly more?: { readonly spec?: object; readonly status?: object };
}

/** How a backup's files look. */
export interface BucketBackup {
  readonly copies?: readonly CopiedVolume[];
  readonly status?: object;
  /** Releases before 1.13 wrote no volume info. */
  readonly volumeInfo?: boolean;
  readonly items?: number;
}

/** The files of a backup as Velero 1.17 leaves them, by key. */
export function bucketBackup(name: string, made: BucketBackup = {}): Map<string, Buffer> {
  const { copies = [], status = {}, volumeInfo = true, items = 2 } = made;
  const packed = (value: unknown) => gzipSync(JSON.stringify(value));
  const backup = {
    apiVersion: "velero.io/v1",
    kind: "Backup",
    metadata: {
      name,
      namespace: "velero",
      uid: `uid-${name}`,
      labels: { "velero.io/storage-location": "default" },
    },
    spec: { storageLocation: "default", ttl: "720h0m0s", includedNamespaces: ["shop"] },
    status: {
      version: 1,
      formatVersion: "1.1.0",
      phase: "Completed",
      startTimestamp: "2026-01-01T00:00:00Z",
      completionTimestamp: "2026-01-01T00:01:00Z",
      expiration: "2999-01-31T00:00:00Z",
      ...status,
    },
  };
  const entries = Array.from({ length: items }, (_, i) => ({
    name: `resources/configmaps/namespaces/shop/c${i}.json`,
    body: JSON.stringify({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: `c${i}`, namespace: "shop" },
      data: { a: "1" },
    }),
  }));
  const files: [string, Buffer][] = [
    [backupKey(name, "metadata"), Buffer.from(JSON.stringify(backup, null, 2))],
    [backupKey(name, "contents"), tarGz([{ name: "metadata/version", body: "1.1.0\n" }, ...entries])],
    [backupKey(name, "log"), gzipSync(`time="2026-01-01T00:00:00Z" level=info msg="all is well"\n`)],
    [backupKey(name, "podVolumeBackups"), packed(copies.map((copy, i) => storedCopy(name, copy, i)))],
    [backupKey(name, "volumeSnapshots"), packed(null)],
    [backupKey(name, "itemOperations"), packed([])],
    [backupKey(name, "resourceList"), packed({ "v1/ConfigMap": entries.map((_, i) => `shop/c${i}`) })],
    [backupKey(name, "results"), packed({ errors: {}, warnings: {} })],
  ];
  if (volumeInfo) files.push([backupKey(name, "volumeInfo"), packed(copies.map(storedInfo))]);
  return new Map(files);
}

function storedCopy(backup: string, copy: CopiedVolume, at: number): object {
  const { namespace, pod, volume, uploader, snapshotId, claim, bytes = 10, more } = copy;
  return {
    apiVersion: "velero.io/v1",
    kind: "PodVolumeBackup",
    metadata: {
      name: `${backup}-${at}`,
      namespace: "velero",
      labels: { "velero.io/backup-name": backup, "velero.io/backup-uid": `uid-${backup}` },
      ...(claim !== undefined && { annotations: { "velero.io/pvc-name": claim } }),
    },
    spec: {
      node: "node-1",
      pod: { kind: "Pod", namespace, name: pod, uid: `uid-${pod}` },
      volume,
      backupStorageLocation: "default",
      repoIdentifier: uploader === "kopia" ? "" : `s3:http://store/bucket/restic/${namespace}`,
      ...(uploader !== undefined && { uploaderType: uploader }),
      tags: { backup, "backup-uid": `uid-${backup}`, ns: namespace, pod, "pod-uid": `uid-${pod}`, volume },
      ...more?.spec,
    },
    status: {
      phase: "Completed",
      path: `/host_pods/uid-${pod}/volumes/kubernetes.io~csi/pv-${volume}/mount`,
      startTimestamp: "2026-01-01T00:00:10Z",
      completionTimestamp: "2026-01-01T00:00:20Z",
      progress: { totalBytes: bytes, bytesDone: bytes },
      ...(snapshotId !== undefined && { snapshotID: snapshotId }),
      ...more?.status,
    },
  };
}

function storedInfo({
  namespace,
  pod,
  volume,
  uploader,
  snapshotId,
  claim,
  bytes = 10,
}: CopiedVolume): object {
  return {
    backupMethod: "PodVolumeBackup",
    ...(claim !== undefined && { pvcName: claim, pvcNamespace: namespace, pvName: `pv-${volume}` }),
    snapshotDataMoved: false,
    preserveLocalSnapshot: false,
    skipped: false,
    result: "succeeded",
    pvbInfo: {
      snapshotHandle: snapshotId ?? "",
      size: bytes,
      uploaderType: uploader ?? "restic",
      volumeName: volume,
      podName: pod,
      podNamespace: namespace,
      nodeName: "node-1",
      Phase: "Completed",
    },
    pvInfo: { reclaimPolicy: "Delete" },
  };
}

/** Puts files into a store. */
export async function putAll(store: Store, files: ReadonlyMap<string, Uint8Array>): Promise<void> {
  for (const [key, bytes] of files) await store.put(key, bytes);
}
