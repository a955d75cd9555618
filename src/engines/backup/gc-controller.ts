import {
  type Backup,
  type BackupStorageLocation,
  type DeleteBackupRequest,
  kinds,
  veleroNames,
} from "../../api/index.ts";
import { isRunUnderWay } from "../../kinds/index.ts";
import { isNotFound, labelValue, type Outcome, resourceOf } from "../../kube/index.ts";
import type { BackupDeps } from "./deps.ts";
import { eachObject } from "./each-object.ts";

const backups = resourceOf(kinds.Backup);
const locations = resourceOf(kinds.BackupStorageLocation);
const requests = resourceOf(kinds.DeleteBackupRequest);
/** Long timers are cut, so that a changed expiration or location is noticed. */
const longestMs = 3600_000;

/** Asks for the deletion of expired backups, until the signal fires. */
export function startGcController(deps: BackupDeps, signal: AbortSignal): Promise<void> {
  return eachObject<Backup>(deps, kinds.Backup, (backup, _all, inner) => look(deps, backup, inner), signal);
}

/** How long until a backup expires; undefined when it never does or is being deleted. */
export function untilExpiryMs({ status, metadata }: Backup, nowMs: number): number | undefined {
  if (!status?.expiration || metadata.deletionTimestamp || status.phase === "Deleting") return undefined;
  if (isRunUnderWay(status.phase)) return undefined;
  const at = Date.parse(status.expiration);
  // What cannot be read says nothing, least of all that the time has come.
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs);
}

async function look(deps: BackupDeps, backup: Backup, signal: AbortSignal): Promise<Outcome> {
  const left = untilExpiryMs(backup, deps.clock.now());
  if (left === undefined) return undefined;
  if (left > 0) return { againAfterMs: Math.min(left, longestMs) };
  const { client, namespace } = deps;
  const { name, uid } = backup.metadata;
  const why = await obstacle(deps, backup, signal);
  if (why !== (backup.metadata.labels?.[veleroNames.gcFailure] ?? undefined)) {
    const body = { metadata: { labels: { [veleroNames.gcFailure]: why ?? null } } };
    await client.patch(backups, name, { type: "merge", body }, { namespace }, signal);
  }
  if (why !== undefined) return { againAfterMs: longestMs };
  const labelSelector = `${veleroNames.backupName}=${labelValue(name)},${veleroNames.backupUid}=${uid}`;
  const open = await client.list<DeleteBackupRequest>(requests, { namespace, labelSelector }, signal);
  if (open.some(({ status }) => status?.phase !== "Processed")) return { againAfterMs: longestMs };
  await client.create(requests, deleteRequest(backup), {}, signal);
  return { againAfterMs: longestMs };
}

/** Why an expired backup cannot be collected, in upstream's words. */
async function obstacle(deps: BackupDeps, backup: Backup, signal: AbortSignal): Promise<string | undefined> {
  const { client, namespace } = deps;
  const name = backup.spec?.storageLocation ?? "";
  try {
    const { spec, status } = await client.get<BackupStorageLocation>(locations, name, { namespace }, signal);
    if (spec?.accessMode === "ReadOnly") return "BSLReadOnly";
    return status?.phase === "Unavailable" ? "BSLUnavailable" : undefined;
  } catch (error) {
    signal.throwIfAborted();
    return isNotFound(error) ? "BSLNotFound" : "BSLCannotGet";
  }
}

/** A request to delete a backup, as the command line and the collector make it. */
export function deleteRequest(backup: Backup): Readonly<Record<string, unknown>> {
  const { name, namespace, uid } = backup.metadata;
  return {
    apiVersion: "velero.io/v1",
    kind: "DeleteBackupRequest",
    metadata: {
      generateName: `${name}-`,
      namespace,
      labels: { [veleroNames.backupName]: labelValue(name), [veleroNames.backupUid]: uid },
    },
    spec: { backupName: name },
  };
}
