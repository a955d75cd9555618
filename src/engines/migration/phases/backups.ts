import {
  type Backup,
  type BackupStorageLocation,
  cancelAnnotation,
  type DataUpload,
  type DeleteBackupRequest,
  kinds,
  type PodVolumeBackup,
  type Restore,
  veleroNames,
  veleroPhaseOf,
} from "../../../api/index.ts";
import { lineOf, type MigDetail } from "../../../kinds/index.ts";
import { labelValue, resourceOf } from "../../../kube/index.ts";
import { locationName } from "../location.ts";
import { labels, partOf } from "../names.ts";
import {
  advance,
  type Cluster,
  type Handler,
  madeLabels,
  type Outcome,
  planNamespaces,
  type Run,
  remark,
  selectUndone,
  untilNone,
} from "../run.ts";
import { hasSnapshots, resources, type Workload } from "../shapes.ts";
import { all, change, ensure, find, remove } from "../tolerate.ts";
import { backupOf, judge, nameOf } from "../velero-run.ts";
import { account, notCopied } from "../volume-account.ts";
import { stagePods } from "./stage-pods.ts";

const backups = resourceOf(kinds.Backup);
const restores = resourceOf(kinds.Restore);
const copies = resourceOf(kinds.PodVolumeBackup);
const uploads = resourceOf(kinds.DataUpload);
const locations = resourceOf(kinds.BackupStorageLocation);
const requests = resourceOf(kinds.DeleteBackupRequest);

/** How long a cancel waits for a server to let go of a backup or a restore before it goes on without. */
const patienceMs = 5 * 60_000;

type BackupKind = "initialBackup" | "stageBackup";

/** Creates a Backup on the source unless it is there. */
export const createBackup =
  (kind: BackupKind): Handler =>
  async (run, signal) => {
    const { client, namespace } = run.source;
    const location = run.storage ? locationName(run.storage) : "";
    const found = await find<BackupStorageLocation>(client, locations, location, namespace, signal);
    if (!found) {
      return {
        do: "fail",
        errors: [`BackupStorageLocation ${namespace}/${location}: not found on cluster ${run.source.name}.`],
      };
    }
    const imageStreams = kind === "stageBackup" && (await servesImageStreams(run, signal));
    const policy = kind === "initialBackup" ? await volumePolicy(run, signal) : undefined;
    await ensure(client, backups, backupOf(run, kind, { location, imageStreams, policy }), signal);
    return advance;
  };

/**
 * Where pods ask for copies of their volumes by annotation, the backup of the resources has to be told to copy none: its restore
 * would put files from before the stop over those that were copied after it.
 */
async function volumePolicy(run: Run, signal: AbortSignal): Promise<string | undefined> {
  const { client, namespace } = run.source;
  const lists = await Promise.all(
    planNamespaces(run, run.source).map((space) => all(client, resources.pods, { namespace: space }, signal)),
  );
  const asked = lists.flat().some(({ metadata }) => metadata.annotations?.[veleroNames.backupVolumes]);
  if (!asked) return undefined;
  const name = `${nameOf(run, "initialBackup")}-policy`;
  const data = { "policy.yaml": "version: v1\nvolumePolicies: [{conditions: {}, action: {type: skip}}]\n" };
  const metadata = { name, namespace, labels: madeLabels(run) };
  await ensure(client, resources.configMaps, { apiVersion: "v1", kind: "ConfigMap", metadata, data }, signal);
  return name;
}

/** Waits for a Backup on the source, with the copies of its volumes. */
export const backupDone =
  (kind: BackupKind, warning: string): Handler =>
  async (run, signal) => {
    const { client, namespace } = run.source;
    const name = nameOf(run, kind);
    const backup = await find<Backup>(client, backups, name, namespace, signal);
    if (!backup) return { do: "fail", errors: [`Backup ${namespace}/${name}: was deleted under way.`] };
    const labelSelector = `${veleroNames.backupName}=${labelValue(name)}`;
    const volumes = await all<PodVolumeBackup>(client, copies, { namespace, labelSelector }, signal);
    const kinded = volumes.map((volume) => ({ ...volume, kind: "PodVolumeBackup" as const }));
    const moved = hasSnapshots(run.plan)
      ? (await all<DataUpload>(client, uploads, { namespace, labelSelector }, signal)).map((one) => ({
          ...one,
          kind: "DataUpload" as const,
        }))
      : [];
    const outcome = judge(run, run.source, backup, [...kinded, ...moved], warning);
    if (kind !== "stageBackup" || outcome.do === "wait") return outcome;
    const pods = await stagePods(run, run.source, signal);
    return account(outcome, notCopied(run.plan, backup, kinded, pods, moved), run.settings);
  };

/** Waits until the destination's server has found a Backup in the store. */
export const backupReplicated =
  (kind: BackupKind): Handler =>
  async (run, signal) => {
    const { client, namespace, name: cluster } = run.destination;
    const name = nameOf(run, kind);
    const isThere = (await find<Backup>(client, backups, name, namespace, signal)) !== undefined;
    const location = run.storage ? locationName(run.storage) : "";
    const found = await find<BackupStorageLocation>(client, locations, location, namespace, signal);
    // Servers look once a minute by themselves; while somebody waits they look often.
    const period = isThere ? "1m0s" : "1s";
    if (found && found.spec?.backupSyncPeriod !== period) {
      await change(client, locations, found, { spec: { backupSyncPeriod: period } }, signal);
    }
    if (isThere) return advance;
    const { phase, message } = found?.status ?? {};
    const cause = !found
      ? `, BackupStorageLocation ${namespace}/${location} is not there`
      : phase !== "Available"
        ? `, BackupStorageLocation ${namespace}/${location} is ${phase ?? "not looked at"}${message ? `: ${message}` : ""}`
        : "";
    return {
      do: "wait",
      report: {
        details: [
          remark("Backup", { metadata: { namespace, name } }, `Not replicated to ${cluster}${cause}`),
        ],
      },
    };
  };

/** Stops and deletes what a run has stored; a server that does not answer is waited for only so long. */
export const deleteBackups: Handler = async (run, signal) => {
  await stopHooks(run, signal);
  const mine = { labelSelector: selectUndone(run, labels.migration) };
  for (const restore of await own<Restore>(run.destination, restores, mine, signal)) {
    if (isAtWork(restore)) await askToStop(run.destination, restore, signal);
  }
  const left: MigDetail[] = [];
  for (const backup of await own<Backup>(run.source, backups, mine, signal)) {
    left.push(remark("Backup", backup, await deleteBackup(run, backup, signal)));
  }
  if (left.length > 0 && run.now - run.since < patienceMs) return untilNone(left);
  for (const copy of await own<Backup>(run.destination, backups, mine, signal)) {
    await remove(run.destination.client, backups, copy, signal);
  }
  for (const config of await own(run.source, resources.configMaps, mine, signal)) {
    await remove(run.source.client, resources.configMaps, config, signal);
  }
  // Servers keep what they have done for a day.
  for (const request of await own<DeleteBackupRequest>(run.source, requests, mine, signal)) {
    if (request.status?.phase === "Processed") await remove(run.source.client, requests, request, signal);
  }
  return gaveUp(left, "StaleBackups", "backups of what is undone are left");
};

export const deleteRestores: Handler = async (run, signal) => {
  const mine = { labelSelector: selectUndone(run, labels.migration) };
  const left: MigDetail[] = [];
  for (const restore of await own<Restore>(run.destination, restores, mine, signal)) {
    if (restore.metadata.deletionTimestamp === undefined) {
      await remove(run.destination.client, restores, restore, signal);
    }
    left.push(remark("Restore", restore, "Deletion requested"));
  }
  for (const config of await own(run.destination, resources.configMaps, mine, signal)) {
    await remove(run.destination.client, resources.configMaps, config, signal);
  }
  if (left.length > 0 && run.now - run.since < patienceMs) return untilNone(left);
  return gaveUp(left, "StaleRestores", "restores of what is undone are left");
};

function gaveUp(details: readonly MigDetail[], type: string, words: string): Outcome {
  if (details.length === 0) return advance;
  const message = `${words}: ${details.map((one) => lineOf(one)).join("; ")}`;
  return { do: "advance", report: { details }, warnings: [{ type, message }] };
}

/** Asks for the end of a backup; how far that is. */
async function deleteBackup(run: Run, backup: Backup, signal: AbortSignal): Promise<string> {
  const { client, namespace } = run.source;
  const { name, uid } = backup.metadata;
  if (veleroPhaseOf(backup.status) === "New") {
    // No server has begun with it, so that there is nothing behind it.
    await remove(client, backups, backup, signal);
    return "Deletion requested";
  }
  if (isAtWork(backup)) {
    await askToStop(run.source, backup, signal);
    return `${veleroPhaseOf(backup.status)}, asked to stop`;
  }
  const request = {
    apiVersion: "velero.io/v1",
    kind: "DeleteBackupRequest",
    metadata: {
      name,
      namespace,
      labels: {
        [labels.partOf]: partOf,
        [labels.migration]: labelValue(run.uid),
        [veleroNames.backupName]: labelValue(name),
        ...(uid !== undefined && { [veleroNames.backupUid]: uid }),
      },
    },
    spec: { backupName: name },
  };
  const known = await find<DeleteBackupRequest>(client, requests, name, namespace, signal);
  const errors = known?.status?.errors ?? [];
  if (known?.status?.phase === "Processed" && errors.length > 0) {
    await remove(client, requests, known, signal); // asked again at the next look
    return errors.join("; ");
  }
  await ensure(client, requests, request, signal);
  return "Deletion requested";
}

async function askToStop(cluster: Cluster, object: Backup | Restore, signal: AbortSignal): Promise<void> {
  if (object.metadata.annotations?.[cancelAnnotation] !== undefined) return;
  const resource = object.kind === "Backup" ? backups : restores;
  await change(
    cluster.client,
    resource,
    object,
    { metadata: { annotations: { [cancelAnnotation]: "true" } } },
    signal,
  );
}

function isAtWork(object: Backup | Restore): boolean {
  const phase = veleroPhaseOf(object.status);
  return !["New", "Completed", "PartiallyFailed", "Failed", "FailedValidation", "Deleting"].includes(phase);
}

async function own<T extends Backup | Restore | DeleteBackupRequest | Workload>(
  cluster: Cluster,
  resource: typeof backups,
  query: { readonly labelSelector: string },
  signal: AbortSignal,
): Promise<readonly T[]> {
  const found = await all<T>(cluster.client, resource, { ...query, namespace: cluster.namespace }, signal);
  return found.map((one) => ({ ...one, kind: resource.kind }));
}

/** Jobs of hooks of this run, on either cluster. */
async function stopHooks(run: Run, signal: AbortSignal): Promise<void> {
  const labelSelector = selectUndone(run, labels.hookOwner);
  for (const { client } of [run.source, run.destination]) {
    for (const namespace of new Set(
      run.plan.spec?.hooks?.map(({ executionNamespace }) => executionNamespace),
    )) {
      for (const resource of [resources.jobs, resources.configMaps]) {
        for (const found of await all(client, resource, { namespace, labelSelector }, signal)) {
          await remove(client, resource, found, signal, "Foreground");
        }
      }
    }
  }
}

async function servesImageStreams(run: Run, signal: AbortSignal): Promise<boolean> {
  const { resources: served } = await run.source.client.discover(signal);
  return served.some(({ group, plural }) => group === "image.openshift.io" && plural === "imagestreams");
}
