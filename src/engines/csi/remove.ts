import { type Backup, type DataUpload, kinds, veleroNames } from "../../api/index.ts";
import { AppError, messageOf } from "../../errors.ts";
import { builtIn, isAlreadyExists, isNotFound, labelValue, resourceOf, sleep } from "../../kube/index.ts";
import { backupKey, type Store, storedList } from "../../store/index.ts";
import type { CsiDeps } from "./backup-claims.ts";
import { removeSnapshot, snapshotsOf } from "./clean-up.ts";
import { digest, type SnapshotContent } from "./objects.ts";
import { type RestoreItem, types } from "./restore-items.ts";

const { snapshotContents } = builtIn;
const uploads = resourceOf(kinds.DataUpload);

/** A snapshot that a data mover left in a repository. */
export interface MovedSnapshot {
  /** The namespace of the repository: that of the claim. */
  readonly namespace: string;
  readonly claim: string;
  readonly location: string;
  readonly snapshotID: string;
}

/** What removing needs beside the cluster. */
export interface RemoveDeps extends CsiDeps {
  /** The items of some types in a backup's archive. */
  readonly archivedItems: (
    store: Store,
    backup: string,
    types: ReadonlySet<string>,
    signal: AbortSignal,
  ) => Promise<readonly RestoreItem[]>;
  /** Removes snapshots from their repositories; returns what could not be removed and why. */
  readonly forget: (moved: readonly MovedSnapshot[], signal: AbortSignal) => Promise<readonly string[]>;
}

/** What keeps a content until its driver has dealt with the snapshot. */
const protection = "snapshot.storage.kubernetes.io/volumesnapshotcontent-bound-protection";

/** So long the driver may take to see a snapshot that is to be deleted, and to delete it. */
const seenMs = 10_000;
const goneMs = 60_000;

/** Removes the snapshots of a backup from the storage, and moved data from its repositories; returns what went wrong. */
export function csiRemover(deps: RemoveDeps) {
  return async (backup: Backup, store: Store, signal: AbortSignal): Promise<readonly string[]> => {
    const archived = await archivedObjects(deps, backup, store, signal);
    const errors: string[] = [];
    for (const content of archived.contents) {
      try {
        await removeStored(deps, backup, content, signal);
      } catch (error) {
        signal.throwIfAborted();
        errors.push(
          `the storage snapshot of "${content.metadata.name}" cannot be removed: ${messageOf(error)}`,
        );
      }
    }
    // What a backup left that never came to its archive.
    for (const snapshot of await snapshotsOf(deps.client, backup, signal))
      await removeSnapshot(deps.client, snapshot, "Delete", signal);
    return [
      ...errors,
      ...(await deps.forget(await movedSnapshots(deps, backup, archived.uploads, signal), signal)),
    ];
  };
}

async function archivedObjects(deps: RemoveDeps, backup: Backup, store: Store, signal: AbortSignal) {
  const none = { contents: [] as SnapshotContent[], uploads: [] as DataUpload[] };
  const { name } = backup.metadata;
  const isThere = (await store.head(backupKey(name, "contents"), signal)) !== undefined;
  if (!isThere || !(await mayHaveSnapshots(backup, store, signal))) return none;
  try {
    const wanted = new Set<string>([types.contents, types.uploads]);
    const items = await deps.archivedItems(store, name, wanted, signal);
    const of = (kind: string) => items.filter((item) => item.kind === kind) as unknown[];
    // Both are read field by field.
    return {
      contents: of("VolumeSnapshotContent") as SnapshotContent[],
      uploads: of("DataUpload") as DataUpload[],
    };
  } catch (error) {
    // An archive that is damaged for good would keep its backup for ever.
    if (!(error instanceof AppError) || error.retry !== false) throw error;
    deps.log("warning", `the snapshots of backup "${name}" are not known: ${error.message}`);
    return none;
  }
}

/** Reading a whole archive is worth it only where a volume says so, or where nothing is said about volumes at all. */
async function mayHaveSnapshots(backup: Backup, store: Store, signal: AbortSignal): Promise<boolean> {
  const { name } = backup.metadata;
  if ((await store.head(backupKey(name, "volumeInfo"), signal)) === undefined) return true;
  const infos: readonly unknown[] = await storedList(store, name, "volumeInfo", signal);
  return infos.some((info) => (info as { backupMethod?: unknown } | null)?.backupMethod === "CSISnapshot"); // anything else says no
}

/**
 * Lets the driver delete a snapshot that only the archive knows: a content of the policy Delete is made for its handle and
 * deleted again, as upstream does it. Its name is always the same, so that a killed operator leaves none behind.
 */
async function removeStored(
  deps: RemoveDeps,
  backup: Backup,
  archived: SnapshotContent,
  signal: AbortSignal,
): Promise<void> {
  const { client, log } = deps;
  const { labels } = archived.metadata;
  const handle = archived.status?.snapshotHandle;
  // Another's content, or one that never was a snapshot, is not ours to delete.
  if (labels?.[veleroNames.backupName] !== labelValue(backup.metadata.name) || !handle) return;
  const object = deletableContent(backup, archived, handle);
  const own = object.metadata.name;
  await client.create(snapshotContents, object, {}, signal).catch((error: unknown) => {
    if (!isAlreadyExists(error)) throw error;
  });
  const seen = await until(deps, seenMs, signal, async () => {
    const { status } = (await read(deps, own, signal)) ?? { status: { readyToUse: true } };
    return status?.readyToUse === true || status?.error !== undefined;
  });
  await client.delete(snapshotContents, own, {}, signal).catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
  });
  if (!seen) {
    const body = { metadata: { finalizers: null } };
    await client.patch(snapshotContents, own, { type: "merge", body }, {}, signal).catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
    log(
      "warning",
      `no CSI driver answers for "${archived.spec?.driver}": snapshot "${handle}" may be left in its storage`,
    );
    return;
  }
  const isGone = await until(deps, goneMs, signal, async () => (await read(deps, own, signal)) === undefined);
  if (isGone) return;
  const why = (await read(deps, own, signal))?.status?.error?.message ?? "the CSI driver does not delete it";
  throw new Error(`snapshot "${handle}" of driver "${archived.spec?.driver}": ${why}`);
}

/** A content that lets the driver delete a snapshot of the storage. */
function deletableContent(backup: Backup, archived: SnapshotContent, handle: string) {
  const { name, annotations, labels } = archived.metadata;
  const hash = digest(`${backup.metadata.uid}/${name}`);
  const own = `vsc-${hash.slice(0, 8)}-${hash.slice(8, 12)}-${hash.slice(12, 16)}-${hash.slice(16, 20)}-${hash.slice(20, 32)}`;
  const { uid = "" } = archived.metadata;
  return {
    apiVersion: archived.apiVersion,
    kind: archived.kind,
    // Nobody gives a content of a missing snapshot its finalizer, and without it the driver would never hear of its deletion.
    metadata: {
      name: own,
      finalizers: [protection],
      ...(labels && { labels }),
      ...(annotations && { annotations }),
    },
    spec: {
      deletionPolicy: "Delete",
      driver: archived.spec?.driver ?? "",
      source: { snapshotHandle: handle },
      ...(archived.spec?.sourceVolumeMode && { sourceVolumeMode: archived.spec.sourceVolumeMode }),
      // Deliberately of a snapshot that does not exist.
      volumeSnapshotRef: {
        apiVersion: archived.apiVersion,
        kind: "VolumeSnapshot",
        namespace: `ns-${uid}`,
        name: `name-${uid}`,
      },
    },
  };
}

async function read(
  deps: RemoveDeps,
  name: string,
  signal: AbortSignal,
): Promise<SnapshotContent | undefined> {
  try {
    return await deps.client.get<SnapshotContent>(snapshotContents, name, {}, signal);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** Whether a condition came to hold in time. */
async function until(
  { clock, pollMs = 500 }: CsiDeps,
  limitMs: number,
  signal: AbortSignal,
  holds: () => Promise<boolean>,
): Promise<boolean> {
  for (const end = clock.monotonic() + limitMs; ; ) {
    if (await holds()) return true;
    if (clock.monotonic() >= end) return false;
    await sleep(clock, Math.min(pollMs, 500), signal);
  }
}

/** Moved data of a backup: what its archive says, and what the cluster still holds of one that never got that far. */
async function movedSnapshots(
  deps: RemoveDeps,
  backup: Backup,
  archived: readonly DataUpload[],
  signal: AbortSignal,
): Promise<readonly MovedSnapshot[]> {
  const label = labelValue(backup.metadata.name);
  const query = { namespace: deps.namespace, labelSelector: `${veleroNames.backupName}=${label}` };
  const here = await deps.client.list<DataUpload>(uploads, query, signal);
  const byId = new Map<string, MovedSnapshot>();
  for (const { metadata, spec, status } of [...archived, ...here]) {
    const isOwn = metadata.labels?.[veleroNames.backupName] === label;
    const isBuiltIn = !spec?.datamover || spec.datamover === "velero" || spec.datamover === "velero-fs";
    if (!isOwn || !isBuiltIn || !status?.snapshotID) continue;
    byId.set(status.snapshotID, {
      namespace: spec?.sourceNamespace ?? "",
      claim: spec?.sourcePVC ?? "",
      location: backup.spec?.storageLocation ?? "",
      snapshotID: status.snapshotID,
    });
  }
  return [...byId.values()];
}
