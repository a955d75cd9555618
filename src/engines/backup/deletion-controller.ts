import {
  type Backup,
  type BackupStorageLocation,
  type DeleteBackupRequest,
  kinds,
  type Restore,
  veleroNames,
} from "../../api/index.ts";
import { messageOf } from "../../errors.ts";
import { isRunUnderWay } from "../../kinds/index.ts";
import { labelValue, type Outcome, resourceOf } from "../../kube/index.ts";
import { restoreFolder, type Store } from "../../store/index.ts";
import type { BackupDeps } from "./deps.ts";
import { eachObject } from "./each-object.ts";
import { ignoreNotFound } from "./tolerate.ts";
import { removeBackup } from "./upload.ts";

const backups = resourceOf(kinds.Backup);
const locations = resourceOf(kinds.BackupStorageLocation);
const requests = resourceOf(kinds.DeleteBackupRequest);
const restores = resourceOf(kinds.Restore);
const dayMs = 86_400_000;

/** Deletes backups with all they stored, until the signal fires. */
export function startDeletionController(deps: BackupDeps, signal: AbortSignal): Promise<void> {
  return eachObject<DeleteBackupRequest>(
    deps,
    kinds.DeleteBackupRequest,
    (request, all, inner) => look(deps, request, all, inner),
    signal,
  );
}

async function look(
  deps: BackupDeps,
  heard: DeleteBackupRequest,
  all: readonly DeleteBackupRequest[],
  signal: AbortSignal,
): Promise<Outcome> {
  const { client, namespace, clock } = deps;
  const { name, creationTimestamp } = heard.metadata;
  // What was heard may be older than our own last write, and deleting twice would report that nothing was there.
  const request = await client
    .get<DeleteBackupRequest>(requests, name, { namespace }, signal)
    .catch(ignoreNotFound);
  if (!request) return undefined;
  if (request.status?.phase === "Processed") {
    const left = Date.parse(creationTimestamp ?? "") + dayMs - clock.now();
    if (left > 0) return { againAfterMs: left };
    await client.delete(requests, name, { namespace }, signal).catch(ignoreNotFound);
    return undefined;
  }
  const errors = await perform(deps, request, all, signal);
  const body = { status: { phase: "Processed", errors: errors.length > 0 ? errors : null } };
  await client.patch(requests, name, { type: "merge", body }, { namespace }, signal).catch(ignoreNotFound);
  return { againAfterMs: dayMs };
}

async function perform(
  deps: BackupDeps,
  request: DeleteBackupRequest,
  all: readonly DeleteBackupRequest[],
  signal: AbortSignal,
): Promise<string[]> {
  const { client, namespace } = deps;
  const backupName = request.spec?.backupName ?? "";
  if (backupName === "") return ["spec.backupName is empty"];
  const twin = all.find(
    (one) =>
      one.metadata.name !== request.metadata.name &&
      one.spec?.backupName === backupName &&
      one.status?.phase === "InProgress",
  );
  if (twin) return [`"${twin.metadata.name}" already deletes backup "${backupName}"`];
  const backup = await client.get<Backup>(backups, backupName, { namespace }, signal).catch(ignoreNotFound);
  // A deletion that a killed operator had all but finished.
  if (!backup && request.status?.phase === "InProgress") return [];
  if (!backup) return [`backup "${backupName}" does not exist`];
  if (isRunUnderWay(backup.status?.phase)) return [`backup "${backupName}" is still in progress`];
  // It never began, perhaps for want of a location: there is nothing but the object, which must not stay for ever.
  if (backup.status?.phase === "FailedValidation") {
    const place = { namespace, uid: backup.metadata.uid };
    await client.delete(backups, backupName, place, signal).catch(ignoreNotFound);
    return [];
  }
  const store = await storeOf(deps, backup, signal);
  if (typeof store === "string") return [store];
  await client.patch(
    requests,
    request.metadata.name,
    { type: "merge", body: { status: { phase: "InProgress" } } },
    { namespace },
    signal,
  );
  await client.patch(
    backups,
    backupName,
    { type: "merge", body: { status: { phase: "Deleting" } } },
    { namespace },
    signal,
  );
  return remove(deps, backup, store, signal);
}

async function storeOf(deps: BackupDeps, backup: Backup, signal: AbortSignal): Promise<Store | string> {
  const { client, namespace } = deps;
  const name = backup.spec?.storageLocation ?? "";
  const location = await client
    .get<BackupStorageLocation>(locations, name, { namespace }, signal)
    .catch(ignoreNotFound);
  if (!location)
    return `backup storage location "${name}" does not exist: create it again to delete what it holds, or remove the Backup object alone`;
  if (location.spec?.accessMode === "ReadOnly") return `backup storage location "${name}" is read-only`;
  if (location.status?.phase === "Unavailable") return `backup storage location "${name}" is unavailable`;
  return deps.openStore(location, signal);
}

/** Everything the backup left behind, the Backup itself last; an error stops before anything that could not be undone. */
async function remove(
  deps: BackupDeps,
  backup: Backup,
  store: Store,
  signal: AbortSignal,
): Promise<string[]> {
  const { client, namespace } = deps;
  const { name } = backup.metadata;
  const errors: string[] = [];
  const attempt = async (work: () => Promise<unknown>) => {
    try {
      await work();
    } catch (error) {
      signal.throwIfAborted();
      errors.push(messageOf(error));
    }
  };
  for (const clean of deps.beforeDelete ?? []) {
    await attempt(async () => errors.push(...(await clean(backup, store, signal))));
  }
  if (errors.length > 0) return errors;
  await attempt(() => removeBackup(store, name, signal));
  for (const restore of await client.list<Restore>(restores, { namespace }, signal)) {
    if (restore.spec?.backupName !== name) continue;
    const restoreName = restore.metadata.name;
    await attempt(() => store.deletePrefix(restoreFolder(restoreName), signal));
    await attempt(() => client.delete(restores, restoreName, { namespace }, signal).catch(ignoreNotFound));
  }
  if (errors.length > 0) return errors;
  const labelSelector = `${veleroNames.backupName}=${labelValue(name)}`;
  for (const kind of [kinds.PodVolumeBackup, kinds.VolumePluginBackup, kinds.DataUpload]) {
    await attempt(() => client.deleteAll(resourceOf(kind), { namespace, labelSelector }, {}, signal));
  }
  await attempt(() =>
    client.delete(backups, name, { namespace, uid: backup.metadata.uid }, signal).catch(ignoreNotFound),
  );
  return errors;
}
