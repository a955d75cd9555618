import { type Backup, kinds } from "../../api/index.ts";
import { isRunEnded } from "../../kinds/index.ts";
import { Controller, Informer, resourceOf, splitKey } from "../../kube/index.ts";
import { BackupRunner } from "./backup-runner.ts";
import type { BackupDeps } from "./deps.ts";
import { planQueue, type QueueStep } from "./queue.ts";
import { Canceled } from "./run.ts";

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
  readonly #running = new Map<string, { readonly stop: AbortController; readonly done: Promise<void> }>();
  /** Uids of backups that ended here while the watch still shows them as they were; each leaves with its next change. */
  readonly #ended = new Set<string>();
  readonly #controller: Controller;
  readonly #informer: Informer<Backup, Backup>;

  constructor(deps: BackupDeps, signal: AbortSignal) {
    this.#deps = deps;
    this.#signal = signal;
    this.#runner = new BackupRunner(deps);
    this.#controller = new Controller({
      workers: 1,
      reconcile: () => this.#look(),
      onError: (_name, error) => deps.log("error", "the queue of backups cannot be looked at", { error }),
    });
    this.#informer = new Informer<Backup, Backup>({
      client: deps.client,
      resource: backups,
      query: { namespace: deps.namespace },
      project: slim,
      onChange: (key, now, before) => this.#changed(splitKey(key).name, now, before),
      onError: (error) => deps.log("warning", "cannot watch Backups", { error }),
    });
  }

  async work(): Promise<void> {
    await Promise.all([this.#informer.run(this.#signal), this.#controller.run(this.#signal)]);
    await Promise.all([...this.#running.values()].map(({ done }) => done));
  }

  #changed(name: string, now: Backup | undefined, before: Backup | undefined): void {
    const { metadata } = now ?? before ?? {};
    if (!now || isRunEnded(now.status)) this.#ended.delete(metadata?.uid ?? "");
    // A backup that is deleted while it runs has nobody left to serve.
    if (now === undefined) this.#running.get(name)?.stop.abort(new Canceled("the Backup was deleted"));
    this.#controller.add("queue");
  }

  async #look(): Promise<void> {
    await this.#informer.synced(this.#signal);
    const all = [...this.#informer.entries()]
      .map(([, backup]) => backup)
      .filter(({ metadata }) => !this.#ended.has(metadata.uid ?? ""));
    const byName = new Map(all.map((backup) => [backup.metadata.name, backup]));
    const running = new Set(this.#running.keys());
    for (const step of planQueue(all, running, this.#deps.concurrentBackups)) {
      const backup = byName.get(step.name);
      if (backup) await this.#take(step, backup);
    }
  }

  async #take(step: QueueStep, backup: Backup): Promise<void> {
    switch (step.do) {
      case "start":
        return this.#start(step.name, backup);
      case "stop":
        return this.#running.get(step.name)?.stop.abort(new Canceled("canceled by request"));
      case "drop":
        await this.#runner.drop(backup, this.#signal);
        return this.#settle(backup);
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

  /** Its last status is written; what the watch still says about it is old. */
  #settle({ metadata }: Backup): void {
    const heard = this.#informer.get(`${metadata.namespace}/${metadata.name}`);
    if (heard && heard.metadata.uid === metadata.uid && !isRunEnded(heard.status))
      this.#ended.add(metadata.uid ?? "");
  }

  #start(name: string, backup: Backup): void {
    const stop = new AbortController();
    const done = this.#runner
      .run(backup, AbortSignal.any([this.#signal, stop.signal]))
      .then(() => this.#settle(backup))
      .catch((error: unknown) => {
        if (!this.#signal.aborted) this.#deps.log("error", `backup "${name}" stopped`, { error });
      })
      .finally(() => {
        this.#running.delete(name);
        this.#controller.add("queue");
      });
    this.#running.set(name, { stop, done });
  }
}

/** What the queue keeps of a backup: everything but the history of its fields. */
function slim(backup: Backup): Backup {
  const { managedFields: _history, ...metadata } = backup.metadata;
  return { ...backup, metadata };
}
