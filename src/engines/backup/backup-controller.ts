import { type Backup, kinds } from "../../api/index.ts";
import { isRunEnded } from "../../kinds/index.ts";
import { Canceled, Controller, keyOf, resourceOf, Tasks, type View } from "../../kube/index.ts";
import { BackupRunner } from "./backup-runner.ts";
import type { BackupDeps } from "./deps.ts";
import { planQueue, type QueueStep } from "./queue.ts";

const backups = resourceOf(kinds.Backup);

/** Runs backups until the signal fires. */
export async function startBackupController(deps: BackupDeps, signal: AbortSignal): Promise<void> {
  await new BackupQueue(deps, signal).work();
}

/** One look decides about all backups, and each run is a task of its own that a cancel can stop. */
class BackupQueue {
  readonly #deps: BackupDeps;
  readonly #signal: AbortSignal;
  readonly #runner: BackupRunner;
  readonly #tasks: Tasks<Backup>;
  readonly #controller: Controller;
  readonly #backups: View<Backup>;

  constructor(deps: BackupDeps, signal: AbortSignal) {
    this.#deps = deps;
    this.#signal = signal;
    this.#runner = new BackupRunner(deps);
    this.#controller = new Controller({
      workers: 1,
      reconcile: () => this.#look(),
      onError: (_name, error) => deps.log("error", "the queue of backups cannot be looked at", { error }),
    });
    this.#backups = deps.cache.view<Backup>(kinds.Backup, {
      namespace: deps.namespace,
      onChange: (_key, now, before) => this.#changed(now, before),
      onError: (error) => deps.log("warning", "cannot watch Backups", { error }),
    });
    this.#tasks = new Tasks<Backup>({
      isEnded: ({ status }) => isRunEnded(status),
      seen: (backup) => this.#backups.get(keyOf(backup)),
      onSettled: () => this.#controller.add("queue"),
      onError: ({ metadata }, error) => deps.log("error", `backup "${metadata.name}" stopped`, { error }),
    });
  }

  async work(): Promise<void> {
    await Promise.all([this.#backups.run(this.#signal), this.#controller.run(this.#signal)]);
    await this.#tasks.idle();
  }

  #changed(now: Backup | undefined, before: Backup | undefined): void {
    this.#tasks.changed(now, before);
    // A backup that is deleted while it runs has nobody left to serve.
    if (now === undefined && before) this.#tasks.stop(before, new Canceled("the Backup was deleted"));
    this.#controller.add("queue");
  }

  async #look(): Promise<void> {
    await this.#backups.synced(this.#signal);
    const all = [...this.#backups.objects()].filter((backup) => this.#tasks.isOpen(backup));
    const byName = new Map(all.map((backup) => [backup.metadata.name, backup]));
    const running = new Set(
      all.filter((backup) => this.#tasks.isRunning(backup)).map(({ metadata }) => metadata.name),
    );
    for (const step of planQueue(all, running, this.#deps.concurrentBackups)) {
      const backup = byName.get(step.name);
      if (backup) await this.#take(step, backup);
    }
  }

  async #take(step: QueueStep, backup: Backup): Promise<void> {
    switch (step.do) {
      case "start":
        return this.#tasks.start(backup, (signal) => this.#runner.run(backup, signal), this.#signal);
      case "stop":
        return this.#tasks.stop(backup, new Canceled("canceled by request"));
      case "drop":
        await this.#runner.drop(backup, this.#signal);
        return this.#tasks.settle(backup);
      case "queue": {
        const status = { phase: "Queued", queuePosition: step.position };
        const { namespace } = this.#deps;
        await this.#deps.client.patch(
          backups,
          step.name,
          { type: "merge", body: { status } },
          { namespace },
          this.#signal,
        );
      }
    }
  }
}
