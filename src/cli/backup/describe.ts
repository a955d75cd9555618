import {
  type Backup,
  type DeleteBackupRequest,
  kinds,
  type PodVolumeBackup,
  type VolumePluginBackup,
  veleroNames,
} from "../../api/index.ts";
import { isRunEnded, isRunUnderWay } from "../../kinds/index.ts";
import { isForbidden, isNotFound, labelValue, resourceOf } from "../../kube/index.ts";
import { type FileWanted, storedJson } from "../../observe/index.ts";
import { type ChosenCluster, openCluster } from "../cluster.ts";
import { given, type Input, text } from "../command.ts";
import type { Io } from "../io.ts";
import { operationOf } from "../operation-of.ts";
import { readCsiVolumes } from "./csi-words.ts";
import { type Described, describeText } from "./describe-text.ts";
import { chosenBackups } from "./get.ts";
import { readResourceList, readResults } from "./stored-words.ts";

/** Prints everything about backups. */
export async function describeBackups(input: Input, io: Io, signal: AbortSignal): Promise<void> {
  const cluster = await openCluster(input, io);
  try {
    const all: Described[] = [];
    for (const backup of await chosenBackups(cluster, input, signal)) {
      all.push(await gather(cluster, backup, given(input, "details"), io, signal));
    }
    const format = text(input, "output") ?? "plaintext";
    if (format === "plaintext") return io.out(all.map(describeText).join("\n\n"));
    const [{ structured }, { describeJson }] = await Promise.all([
      import("../render/structured.ts"),
      import("./describe-json.ts"),
    ]);
    const values = all.map(describeJson);
    io.out(await structured(input.args.length === 1 ? values[0] : values, format));
  } finally {
    cluster.client.close();
  }
}

async function gather(
  cluster: ChosenCluster,
  backup: Backup,
  details: boolean,
  io: Io,
  signal: AbortSignal,
): Promise<Described> {
  const { client, namespace } = cluster;
  const { name, uid } = backup.metadata;
  const labelSelector = `${veleroNames.backupName}=${labelValue(name)}`;
  const [copies, snapshots, deletions] = await Promise.all([
    client.list<PodVolumeBackup>(resourceOf(kinds.PodVolumeBackup), { namespace, labelSelector }, signal),
    // A cluster of upstream's alone does not have this kind.
    client
      .list<VolumePluginBackup>(resourceOf(kinds.VolumePluginBackup), { namespace, labelSelector }, signal)
      .catch(noneThere),
    client.list<DeleteBackupRequest>(
      resourceOf(kinds.DeleteBackupRequest),
      { namespace, labelSelector: `${labelSelector},${veleroNames.backupUid}=${uid}` },
      signal,
    ),
  ]);
  const { warnings = 0, errors = 0, phase = "New" } = backup.status ?? {};
  const stored = isRunEnded(backup.status) && phase !== "FailedValidation";
  const read = (kind: FileWanted["kind"]) => storedJson(cluster, { kind, name }, io, signal);
  return {
    backup,
    copies,
    snapshots,
    deletions,
    details,
    operation: isRunUnderWay(phase) ? await operationOf(cluster, backup.metadata.uid, signal) : undefined,
    results: stored && warnings + errors > 0 ? readResults(await read("BackupResults")) : undefined,
    csi: stored && hasCsi(backup) ? readCsiVolumes(await read("BackupVolumeInfos")) : undefined,
    resourceList: stored && details ? readResourceList(await read("BackupResourceList")) : undefined,
  };
}

/** Whether a CSI driver may have had a part in it: else nothing is downloaded to find out. */
function hasCsi({ status }: Backup): boolean {
  return (status?.csiVolumeSnapshotsAttempted ?? 0) + (status?.backupItemOperationsAttempted ?? 0) > 0;
}

function noneThere(error: unknown): [] {
  if (isNotFound(error) || isForbidden(error)) return [];
  throw error;
}
