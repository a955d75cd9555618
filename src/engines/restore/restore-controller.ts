import {
  type Backup,
  type BackupStorageLocation,
  cancelAnnotation,
  kinds,
  type Restore,
  veleroNames,
} from "../../api/index.ts";
import { isRunEnded } from "../../kinds/index.ts";
import {
  Canceled,
  Controller,
  isNotFound,
  keyOf,
  labelValue,
  resourceOf,
  Tasks,
  type View,
} from "../../kube/index.ts";
import { restoreFolder } from "../../store/index.ts";
import type { RestoreDeps } from "./deps.ts";
import { planQueue, type QueueStep } from "./queue.ts";
import { RestoreRunner } from "./restore-runner.ts";

const restores = resourceOf(kinds.Restore);
const backups = resourceOf(kinds.Backup);
const locations = resourceOf(kinds.BackupStorageLocation);
const podVolumeRestores = resourceOf(kinds.PodVolumeRestore);

/** Runs restores, the items of one at a time, and cleans up after deleted ones. */
export async function startRestoreController(deps: RestoreDeps, signal: AbortSignal): Promise<void> {
  await new RestoreQueue(deps, signal).work();
}

/** One look decides about all restores; the run is a task of its own that a cancel can stop. */
class RestoreQueue {
  readonly #deps: RestoreDeps;
  readonly #signal: AbortSignal;
  readonly #runner: RestoreRunner;
  readonly #tasks: Tasks<Restore>;
  readonly #controller: Controller;
  readonly #restores: View<Restore>;

  constructor(deps: RestoreDeps, signal: AbortSignal) {
    this.#deps = deps;
    this.#signal = signal;
    this.#runner = new RestoreRunner(deps);
    this.#controller = new Controller({
      workers: 1,
      reconcile: () => this.#look(),
      onError: (_name, error) => deps.log("error", "the queue of restores cannot be looked at", { error }),
    });
    this.#restores = deps.cache.view<Restore>(kinds.Restore, {
      namespace: deps.namespace,
      onChange: (_key, now, before) => this.#changed(now, before),
      onError: (error) => deps.log("warning", "cannot watch Restores", { error }),
    });
    this.#tasks = new Tasks<Restore>({
      isEnded: ({ status }) => isRunEnded(status),
      seen: (restore) => this.#restores.get(keyOf(restore)),
      onSettled: () => this.#controller.add("queue"),
      onError: ({ metadata }, error) => deps.log("error", `restore "${metadata.name}" stopped`, { error }),
    });
  }

  async work(): Promise<void> {
    await Promise.all([this.#restores.run(this.#signal), this.#controller.run(this.#signal)]);
    await this.#tasks.idle();
  }

  #changed(now: Restore | undefined, before: Restore | undefined): void {
    this.#tasks.changed(now, before);
    if (now === undefined && before)
      this.#tasks.stop(before, new Canceled("canceled: the Restore was deleted"));
    this.#controller.add("queue");
  }

  async #look(): Promise<void> {
    await this.#restores.synced(this.#signal);
    const all = [...this.#restores.objects()].filter((restore) => this.#tasks.isOpen(restore));
    const here = all.filter((restore) => this.#tasks.isRunning(restore)).map(({ metadata }) => metadata.name);
    // One that was deleted may still come to its end.
    const running = { names: new Set(here), isOther: this.#tasks.size > here.length };
    for (const step of planQueue(all, running, cancelAnnotation)) await this.#take(step);
  }

  async #take({ do: what, restore }: QueueStep): Promise<void> {
    switch (what) {
      case "start":
        return this.#tasks.start(restore, (signal) => this.#runner.run(restore, signal), this.#signal);
      case "stop":
        return this.#tasks.stop(restore, new Canceled("canceled by request"));
      case "drop":
        await this.#runner.drop(restore);
        return this.#tasks.settle(restore);
      case "clean":
        return cleanUp(this.#deps, restore, this.#signal);
    }
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
