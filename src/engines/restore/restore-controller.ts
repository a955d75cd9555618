import {
  type Backup,
  type BackupStorageLocation,
  cancelAnnotation,
  kinds,
  type Restore,
  veleroNames,
} from "../../api/index.ts";
import { Controller, Informer, isNotFound, labelValue, resourceOf, splitKey } from "../../kube/index.ts";
import { restoreFolder } from "../../store/index.ts";
import type { RestoreDeps } from "./deps.ts";
import { isEnded, planQueue } from "./queue.ts";
import { Canceled, RestoreRunner } from "./restore-runner.ts";

const restores = resourceOf(kinds.Restore);
const backups = resourceOf(kinds.Backup);
const locations = resourceOf(kinds.BackupStorageLocation);
const podVolumeRestores = resourceOf(kinds.PodVolumeRestore);

/** Runs restores, one at a time, and cleans up after deleted ones. */
export async function startRestoreController(deps: RestoreDeps, signal: AbortSignal): Promise<void> {
  let running:
    | { readonly name: string; readonly stop: AbortController; readonly done: Promise<void> }
    | undefined;
  /** Uids of restores that ended here while the watch still shows them as they were; each leaves with its next change. */
  const ended = new Set<string>();
  const runner = new RestoreRunner(deps);
  const controller = new Controller({
    workers: 1,
    reconcile: () => look(),
    onError: (_name, error) => deps.log("error", "the queue of restores cannot be looked at", { error }),
  });
  const informer = new Informer<Restore, Restore>({
    client: deps.client,
    resource: restores,
    query: { namespace: deps.namespace },
    project: slim,
    onChange: (key, now, before) => {
      if (!now || isEnded(now)) ended.delete((now ?? before)?.metadata.uid ?? "");
      if (now === undefined && running?.name === splitKey(key).name) {
        running.stop.abort(new Canceled("canceled: the Restore was deleted"));
      }
      controller.add("queue");
    },
    onError: (error) => deps.log("warning", "cannot watch Restores", { error }),
  });

  async function look(): Promise<void> {
    await informer.synced(signal);
    const all = [...informer.entries()]
      .map(([, restore]) => restore)
      .filter(({ metadata }) => !ended.has(metadata.uid ?? ""));
    for (const { do: what, restore } of planQueue(all, running?.name, cancelAnnotation)) {
      if (what === "stop") running?.stop.abort(new Canceled("canceled by request"));
      else if (what === "drop") await runner.drop(restore).then(() => settle(restore));
      else if (what === "clean") await cleanUp(deps, restore, signal);
      else start(restore);
    }
  }

  /** Its last status is written; what the watch still says about it is old, and must not start it again. */
  function settle({ metadata }: Restore): void {
    const heard = informer.get(`${metadata.namespace}/${metadata.name}`);
    if (heard && heard.metadata.uid === metadata.uid && !isEnded(heard)) ended.add(metadata.uid ?? "");
  }

  function start(restore: Restore): void {
    const name = restore.metadata.name;
    const stop = new AbortController();
    const done = runner
      .run(restore, AbortSignal.any([signal, stop.signal]))
      .then(() => settle(restore))
      .catch((error: unknown) => {
        if (!signal.aborted) deps.log("error", `restore "${name}" stopped`, { error });
      })
      .finally(() => {
        running = undefined;
        controller.add("queue");
      });
    running = { name, stop, done };
  }

  await Promise.all([informer.run(signal), controller.run(signal)]);
  await running?.done;
}

/** Removes what a deleted restore left in the store and the cluster, then lets it go. */
async function cleanUp(deps: RestoreDeps, restore: Restore, signal: AbortSignal): Promise<void> {
  const { client, namespace } = deps;
  const { name, uid } = restore.metadata;
  try {
    const backup = await client.get<Backup>(backups, restore.spec?.backupName ?? "", { namespace }, signal);
    const place = backup.spec?.storageLocation ?? "";
    const location = await client.get<BackupStorageLocation>(locations, place, { namespace }, signal);
    const store = await deps.openStore(location, signal);
    await store.deletePrefix(restoreFolder(name), signal);
  } catch (error) {
    // Without its backup or location there is nothing left to clean.
    if (!isNotFound(error) && (restore.spec?.backupName ?? "") !== "") throw error;
  }
  const labelSelector = `${veleroNames.restoreName}=${labelValue(name)}`;
  await client.deleteAll(podVolumeRestores, { namespace, labelSelector }, {}, signal);
  const finalizers = (restore.metadata.finalizers ?? []).filter(
    (one) => one !== veleroNames.restoreFinalizer,
  );
  const body = { metadata: { uid, finalizers } };
  try {
    await client.patch(restores, name, { type: "merge", body }, { namespace }, signal);
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

/** What the queue keeps of a restore: everything but the history of its fields. */
function slim(restore: Restore): Restore {
  const { managedFields: _history, ...metadata } = restore.metadata;
  return { ...restore, metadata };
}
