import { type Backup, kinds } from "../../api/index.ts";
import { Controller, Informer, resourceOf, splitKey } from "../../kube/index.ts";
import { BackupRunner } from "./backup-runner.ts";
import type { BackupDeps } from "./deps.ts";
import { planQueue, type QueueStep } from "./queue.ts";
import { Canceled } from "./run.ts";

const backups = resourceOf(kinds.Backup);

/** Runs backups: one look decides about all of them, and each run is a task of its own that a cancel can stop. */
export async function startBackupController(deps: BackupDeps, signal: AbortSignal): Promise<void> {
  const running = new Map<string, { readonly stop: AbortController; readonly done: Promise<void> }>();
  const runner = new BackupRunner(deps);
  const controller = new Controller({
    workers: 1,
    reconcile: () => look(),
    onError: (_name, error) => deps.log("error", "the queue of backups cannot be looked at", { error }),
  });
  const informer = new Informer<Backup, Backup>({
    client: deps.client,
    resource: backups,
    query: { namespace: deps.namespace },
    project: slim,
    onChange: (key, now) => {
      const name = splitKey(key).name;
      // A backup that is deleted while it runs has nobody left to serve.
      if (now === undefined) running.get(name)?.stop.abort(new Canceled("the Backup was deleted"));
      controller.add("queue");
    },
    onError: (error) => deps.log("warning", "cannot watch Backups", { error }),
  });

  async function look(): Promise<void> {
    await informer.synced(signal);
    const all = [...informer.entries()].map(([, backup]) => backup);
    const byName = new Map(all.map((backup) => [backup.metadata.name ?? "", backup]));
    for (const step of planQueue(all, new Set(running.keys()), deps.concurrentBackups)) {
      const backup = byName.get(step.name);
      if (backup) await take(step, backup);
    }
  }

  async function take(step: QueueStep, backup: Backup): Promise<void> {
    switch (step.do) {
      case "start":
        return start(step.name, backup);
      case "stop":
        return running.get(step.name)?.stop.abort(new Canceled("canceled by request"));
      case "drop":
        return runner.drop(backup, signal);
      case "queue":
        await deps.client.patch(
          backups,
          step.name,
          { type: "merge", body: { status: { phase: "Queued", queuePosition: step.position } } },
          { namespace: deps.namespace },
          signal,
        );
    }
  }

  function start(name: string, backup: Backup): void {
    const stop = new AbortController();
    const done = runner
      .run(backup, AbortSignal.any([signal, stop.signal]))
      .catch((error: unknown) => {
        if (!signal.aborted) deps.log("error", `backup "${name}" stopped`, { error });
      })
      .finally(() => {
        running.delete(name);
        controller.add("queue");
      });
    running.set(name, { stop, done });
  }

  await Promise.all([informer.run(signal), controller.run(signal)]);
  await Promise.all([...running.values()].map(({ done }) => done));
}

/** What the queue keeps of a backup: everything but the history of its fields. */
function slim(backup: Backup): Backup {
  const { managedFields: _history, ...metadata } = backup.metadata;
  return { ...backup, metadata };
}
