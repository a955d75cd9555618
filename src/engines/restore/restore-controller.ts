import {
  type Backup,
  type BackupStorageLocation,
  cancelAnnotation,
  kinds,
  type Restore,
  veleroNames,
} from "../../api/index.ts";
import { isRunEnded } from "../../kinds/index.ts";
import { Controller, Informer, isNotFound, labelValue, resourceOf, splitKey } from "../../kube/index.ts";
import { restoreFolder } from "../../store/index.ts";
import type { RestoreDeps } from "./deps.ts";
import { planQueue, type QueueStep } from "./queue.ts";
import { Canceled, RestoreRunner } from "./restore-runner.ts";

const restores = resourceOf(kinds.Restore);
const backups = resourceOf(kinds.Backup);
const locations = resourceOf(kinds.BackupStorageLocation);
const podVolumeRestores = resourceOf(kinds.PodVolumeRestore);

/** Runs restores, one at a time, and cleans up after deleted ones. */
export async function startRestoreController(deps: RestoreDeps, signal: AbortSignal): Promise<void> {
  await new RestoreQueue(deps, signal).work();
}

/** One look decides about all restores; the run is a task of its own that a cancel can stop. */
class RestoreQueue {
  readonly #deps: RestoreDeps;
  readonly #signal: AbortSignal;
  readonly #runner: RestoreRunner;
  #running:
    | { readonly name: string; readonly stop: AbortController; readonly done: Promise<void> }
    | undefined;
  /** Uids of restores that ended here while the watch still shows them as they were; each leaves with its next change. */
  readonly #ended = new Set<string>();
  readonly #controller: Controller;
  readonly #informer: Informer<Restore, Restore>;

  constructor(deps: RestoreDeps, signal: AbortSignal) {
    this.#deps = deps;
    this.#signal = signal;
    this.#runner = new RestoreRunner(deps);
    this.#controller = new Controller({
      workers: 1,
      reconcile: () => this.#look(),
      onError: (_name, error) => deps.log("error", "the queue of restores cannot be looked at", { error }),
    });
    this.#informer = new Informer<Restore, Restore>({
      client: deps.client,
      resource: restores,
      query: { namespace: deps.namespace },
      project: slim,
      onChange: (key, now, before) => this.#changed(splitKey(key).name, now, before),
      onError: (error) => deps.log("warning", "cannot watch Restores", { error }),
    });
  }

  async work(): Promise<void> {
    await Promise.all([this.#informer.run(this.#signal), this.#controller.run(this.#signal)]);
    await this.#running?.done;
  }

  #changed(name: string, now: Restore | undefined, before: Restore | undefined): void {
    if (!now || isRunEnded(now.status)) this.#ended.delete((now ?? before)?.metadata.uid ?? "");
    if (now === undefined && this.#running?.name === name)
      this.#running.stop.abort(new Canceled("canceled: the Restore was deleted"));
    this.#controller.add("queue");
  }

  async #look(): Promise<void> {
    await this.#informer.synced(this.#signal);
    const all = [...this.#informer.entries()]
      .map(([, restore]) => restore)
      .filter(({ metadata }) => !this.#ended.has(metadata.uid ?? ""));
    for (const step of planQueue(all, this.#running?.name, cancelAnnotation)) await this.#take(step);
  }

  async #take({ do: what, restore }: QueueStep): Promise<void> {
    switch (what) {
      case "start":
        return this.#start(restore);
      case "stop":
        return this.#running?.stop.abort(new Canceled("canceled by request"));
      case "drop":
        await this.#runner.drop(restore);
        return this.#settle(restore);
      case "clean":
        return cleanUp(this.#deps, restore, this.#signal);
    }
  }

  /** Its last status is written; what the watch still says about it is old, and must not start it again. */
  #settle({ metadata }: Restore): void {
    const heard = this.#informer.get(`${metadata.namespace}/${metadata.name}`);
    if (heard && heard.metadata.uid === metadata.uid && !isRunEnded(heard.status))
      this.#ended.add(metadata.uid ?? "");
  }

  #start(restore: Restore): void {
    const name = restore.metadata.name;
    const stop = new AbortController();
    const done = this.#runner
      .run(restore, AbortSignal.any([this.#signal, stop.signal]))
      .then(() => this.#settle(restore))
      .catch((error: unknown) => {
        if (!this.#signal.aborted) this.#deps.log("error", `restore "${name}" stopped`, { error });
      })
      .finally(() => {
        this.#running = undefined;
        this.#controller.add("queue");
      });
    this.#running = { name, stop, done };
  }
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
