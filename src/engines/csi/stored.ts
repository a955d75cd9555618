import {
  type Backup,
  formatTime,
  parseQuantity,
  type StoredBackupOperation,
  type StoredOperationStatus,
  veleroNames,
} from "../../api/index.ts";
import { builtIn } from "../../kube/index.ts";
import { snapshotMover } from "../../movers/index.ts";
import type { ClaimRun } from "./claim-run.ts";
import { csiNames, uploadIdOf } from "./objects.ts";

type Texts = Readonly<Record<string, string>>;

/** An object of the cluster, by what is touched of it. */
export interface Item {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Texts | null;
    readonly annotations?: Texts | null;
  };
  readonly [field: string]: unknown;
}

/** A PersistentVolume that the backup stored. */
export interface VolumeSeen {
  readonly name: string;
  readonly reclaimPolicy?: string | undefined;
  readonly labels?: Texts | undefined;
}

/** When a run began and ended, epoch ms. */
export interface Times {
  readonly startedAt: number;
  readonly updatedAt: number;
}

const group = builtIn.snapshots.group;

/** The id under which the work on a claim is stored. */
function operationIdOf(backup: Backup, run: ClaimRun, startedAt: number): string {
  if (run.moves) return uploadIdOf(backup, run.claim.uid);
  return `${run.claim.namespace}/${run.snapshotName}/${formatTime(startedAt)}`;
}

/** The work on a claim as `itemoperations.json` keeps it. */
export function storedOperation(backup: Backup, run: ClaimRun, times: Times): StoredBackupOperation {
  const { name, uid = "" } = backup.metadata;
  const { claim, snapshotName, content, upload, moves } = run;
  const claimId = {
    Group: "",
    Resource: "persistentvolumeclaims",
    Namespace: claim.namespace,
    Name: claim.name,
  };
  const snapshotId = {
    Group: group,
    Resource: "volumesnapshots",
    Namespace: claim.namespace,
    Name: snapshotName,
  };
  const contentId = {
    Group: group,
    Resource: "volumesnapshotcontents",
    Namespace: "",
    Name: content?.metadata.name ?? "",
  };
  const uploadId = {
    Group: "velero.io",
    Resource: "datauploads",
    Namespace: upload?.metadata.namespace ?? "",
    Name: upload?.metadata.name ?? "",
  };
  return {
    spec: {
      backupName: name,
      backupUID: uid,
      backupItemAction: moves ? "velero.io/csi-pvc-backupper" : "velero.io/csi-volumesnapshot-backupper",
      resourceIdentifier: moves ? claimId : snapshotId,
      operationID: operationIdOf(backup, run, times.startedAt),
      postOperationItems: moves
        ? upload
          ? [uploadId]
          : null
        : content
          ? [snapshotId, contentId]
          : [snapshotId],
    },
    status: statusOf(run, times),
  };
}

function statusOf(
  { stage, error, upload }: ClaimRun,
  { startedAt, updatedAt }: Times,
): StoredOperationStatus {
  const { bytesDone, totalBytes } = upload?.status?.progress ?? {};
  const phase = stage === "done" ? "Completed" : stage === "failed" ? "Failed" : "InProgress";
  return {
    phase,
    ...(error !== undefined && { error }),
    ...(bytesDone && { nCompleted: bytesDone }),
    ...(totalBytes && { nTotal: totalBytes, operationUnits: "Byte" }),
    ...(upload?.status?.phase && { description: upload.status.phase }),
    created: formatTime(startedAt),
    started: formatTime(startedAt),
    updated: formatTime(updatedAt),
  };
}

/** A claim as the archive holds it: it names its snapshot, and asks for as much as the snapshot needs. */
export function storedClaim(claim: Item, backup: Backup, run: ClaimRun): Item {
  if (run.stage !== "done") return claim;
  const { metadata } = claim;
  const label = {
    [csiNames.snapshotName]: cut(run.snapshotName),
    [veleroNames.backupName]: backup.metadata.name,
  };
  const { upload } = run;
  const moved = run.moves && upload;
  const annotations = {
    ...metadata.annotations,
    [csiNames.snapshotName]: run.snapshotName,
    ...(moved && { [csiNames.uploadName]: `${upload.metadata.namespace ?? ""}/${upload.metadata.name}` }),
  };
  const marked = {
    ...claim,
    metadata: { ...metadata, labels: { ...metadata.labels, ...label }, annotations },
  };
  return run.moves ? marked : grown(marked, run.content?.status?.restoreSize ?? 0);
}

/** The claim with a request of at least so many bytes. */
function grown(claim: Item, bytes: number): Item {
  const spec = (claim["spec"] ?? {}) as { resources?: { requests?: { storage?: string } } }; // the server's own shape
  const asked = parseQuantity(spec.resources?.requests?.storage ?? "0") ?? 0;
  if (bytes <= asked) return claim;
  const requests = { ...spec.resources?.requests, storage: binaryQuantity(bytes) };
  return { ...claim, spec: { ...spec, resources: { ...spec.resources, requests } } };
}

/** Bytes as Go writes a binary quantity: `10Gi`, `1500Mi`, `1000`. */
function binaryQuantity(bytes: number): string {
  const units = ["", "Ki", "Mi", "Gi", "Ti", "Pi"];
  let unit = 0;
  let left = bytes;
  while (left >= 1024 && left % 1024 === 0 && unit < units.length - 1) {
    left /= 1024;
    unit += 1;
  }
  return `${left}${units[unit] ?? ""}`;
}

/** What the backup's volume infos say about a claim; keys, capitals included, are upstream's. */
export function volumeInfo(backup: Backup, run: ClaimRun, times: Times, volumes: readonly VolumeSeen[]) {
  const { claim, volume, stage, moves } = run;
  const seen = volumes.find(({ name }) => name === volume);
  const completed = stage === "done" || stage === "failed";
  return {
    pvcName: claim.name,
    pvcNamespace: claim.namespace,
    pvName: volume,
    backupMethod: "CSISnapshot" as const,
    snapshotDataMoved: moves,
    preserveLocalSnapshot: !moves,
    skipped: false,
    startTimestamp: formatTime(times.startedAt),
    ...(completed && { completionTimestamp: formatTime(times.updatedAt) }),
    result: stage === "done" ? ("succeeded" as const) : ("failed" as const),
    ...(moves ? movedInfo(backup, run) : keptInfo(backup, run, times)),
    ...(seen && {
      pvInfo: {
        ...(seen.reclaimPolicy && { reclaimPolicy: seen.reclaimPolicy }),
        ...(seen.labels && { labels: seen.labels }),
      },
    }),
  };
}

function keptInfo(backup: Backup, run: ClaimRun, { startedAt }: Times) {
  const { content, snapshot } = run;
  const size = content?.status?.restoreSize ?? parseQuantity(snapshot?.status?.restoreSize ?? "0") ?? 0;
  return {
    csiSnapshotInfo: {
      snapshotHandle: content?.status?.snapshotHandle ?? "",
      size,
      driver: content?.spec?.driver ?? "",
      vscName: content?.metadata.name ?? "",
      operationID: operationIdOf(backup, run, startedAt),
      ReadyToUse: content?.status?.readyToUse ?? false,
    },
  };
}

function movedInfo(backup: Backup, { upload, claim, snapshotName, content }: ClaimRun) {
  const { status, spec } = upload ?? {};
  return {
    csiSnapshotInfo: {
      snapshotHandle: "unknown",
      size: 0,
      driver: spec?.csiSnapshot?.driver ?? content?.spec?.driver ?? "",
      vscName: "unknown",
      operationID: "unknown",
    },
    snapshotDataMovementInfo: {
      dataMover: spec?.datamover || "velero",
      uploaderType: snapshotMover,
      retainedSnapshot: snapshotName,
      snapshotHandle: status?.snapshotID ?? "",
      operationID: uploadIdOf(backup, claim.uid),
      size: status?.progress?.totalBytes ?? 0,
      ...(status?.incrementalBytes && { incrementalSize: status.incrementalBytes }),
      Phase: status?.phase ?? "",
    },
  };
}

function cut(value: string): string {
  return value.length <= 63 ? value : `${value.slice(0, 57)}${value.slice(-6)}`;
}

/** An item that belongs into the archive beside the claim. */
export interface Related {
  readonly group: string;
  readonly plural: string;
  readonly namespace?: string;
  readonly name: string;
}

/** What the archive holds of a claim that was begun, beside the claim itself. */
export function lateItems(
  run: ClaimRun,
  classes: readonly { readonly metadata: { readonly name: string; readonly annotations?: Texts | null } }[],
): readonly Related[] {
  const { claim, snapshotName, upload, content, className, stage, moves } = run;
  if (moves) {
    if (!upload) return [];
    const { name, namespace = "" } = upload.metadata;
    return [{ group: "velero.io", plural: "datauploads", namespace, name }];
  }
  if (stage !== "done" || !content) return [];
  const found = classes.find(({ metadata }) => metadata.name === className);
  const secret = secretOf(content.metadata.annotations, "snapshotter-secret");
  const listSecret = secretOf(found?.metadata.annotations, "snapshotter-list-secret");
  return [
    { group, plural: "volumesnapshots", namespace: claim.namespace, name: snapshotName },
    { group, plural: "volumesnapshotcontents", name: content.metadata.name },
    { group, plural: "volumesnapshotclasses", name: className },
    ...(secret ? [secret] : []),
    ...(listSecret ? [listSecret] : []),
  ];
}

/** The secret that annotations name, when they name all of it. */
export function secretOf(annotations: Texts | null | undefined, which: string): Related | undefined {
  const name = annotations?.[`csi.storage.k8s.io/${which}-name`];
  const namespace = annotations?.[`csi.storage.k8s.io/${which}-namespace`];
  return name && namespace ? { group: "", plural: "secrets", namespace, name } : undefined;
}
