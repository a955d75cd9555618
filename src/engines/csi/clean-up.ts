import { type Backup, type DataUpload, kinds, veleroNames } from "../../api/index.ts";
import { builtIn, type Client, isNotFound, labelValue, resourceOf } from "../../kube/index.ts";
import { csiNames, type VolumeSnapshot } from "./objects.ts";

const { snapshots, snapshotContents } = builtIn;
const uploads = resourceOf(kinds.DataUpload);

/** What becomes of the snapshot in the storage when its objects go. */
export type Fate = "Retain" | "Delete";

/** Nobody minds what is gone already. */
function gone(error: unknown): void {
  if (!isNotFound(error)) throw error;
}

/**
 * Takes a snapshot's objects out of the cluster, as upstream does it: the policy first, so that the storage keeps or loses the
 * snapshot as it should, then the content, then the VolumeSnapshot.
 */
export async function removeSnapshot(
  client: Pick<Client, "patch" | "delete">,
  snapshot: VolumeSnapshot,
  fate: Fate,
  signal: AbortSignal,
): Promise<void> {
  const { name, namespace, uid } = snapshot.metadata;
  const content = snapshot.status?.boundVolumeSnapshotContentName;
  if (content) {
    const body = { spec: { deletionPolicy: fate } };
    await client.patch(snapshotContents, content, { type: "merge", body }, {}, signal).catch(gone);
    // With the policy Delete the controller removes the content after the storage's snapshot.
    if (fate === "Retain") await client.delete(snapshotContents, content, {}, signal).catch(gone);
  }
  await client.delete(snapshots, name, { namespace, uid }, signal).catch(gone);
}

/** The snapshots that this very backup made and that are still in the cluster. */
export async function snapshotsOf(
  client: Pick<Client, "list">,
  backup: Backup,
  signal: AbortSignal,
): Promise<readonly VolumeSnapshot[]> {
  const { name, uid } = backup.metadata;
  const labelSelector = `${veleroNames.backupName}=${labelValue(name)}`;
  try {
    const found = await client.list<VolumeSnapshot>(snapshots, { labelSelector }, signal);
    // Those that a restore made belong to whoever uses its volumes.
    return found.filter(
      ({ metadata }) =>
        metadata.annotations?.[csiNames.backupUid] === uid &&
        metadata.labels?.[veleroNames.restoreName] === undefined,
    );
  } catch (error) {
    gone(error); // the cluster has no snapshots at all
    return [];
  }
}

/** Asks the data movers of a backup to stop. */
export async function cancelUploads(
  client: Pick<Client, "list" | "patch">,
  backup: Backup,
  isOpen: (upload: DataUpload) => boolean,
  signal: AbortSignal,
): Promise<void> {
  const { uid = "", namespace } = backup.metadata;
  const query = { namespace, labelSelector: `${veleroNames.backupUid}=${uid}` };
  for (const upload of (await client.list<DataUpload>(uploads, query, signal)).filter(isOpen)) {
    const body = { spec: { cancel: true } };
    const { name } = upload.metadata;
    await client.patch(uploads, name, { type: "merge", body }, { namespace }, signal).catch(gone);
  }
}
