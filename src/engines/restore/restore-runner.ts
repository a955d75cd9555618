import {
  type Backup,
  type BackupStorageLocation,
  type ItemRules,
  kinds,
  parseGoDurationMs,
  type Restore,
  veleroNames,
} from "../../api/index.ts";
import { AppError, messageOf } from "../../errors.ts";
import { tellEnd, tellRestore } from "../../kinds/index.ts";
import {
  builtIn,
  Canceled,
  type Client,
  explainRefusal,
  isNotFound,
  isPassing,
  labelValue,
  mapErrors,
  resourceOf,
  sleep,
} from "../../kube/index.ts";
import type { Store } from "../../store/index.ts";
import { type Actor, actorOf, adviceFor, ownRights } from "./actor.ts";
import { type Admission, admit } from "./admission.ts";
import type { RestoreDeps } from "./deps.ts";
import { actionSettings, itemRulesOf, modifiersOf, podVolumeBackupsOf } from "./given.ts";
import { runRestore } from "./run.ts";
import { RunLog } from "./run-log.ts";
import type { RunEnd } from "./run-options.ts";
import { saveResults } from "./save.ts";

type Status = NonNullable<Restore["status"]>;

const restores = resourceOf(kinds.Restore);
const backups = resourceOf(kinds.Backup);
const locations = resourceOf(kinds.BackupStorageLocation);

/** Items of one type at a time; see bench/RESULTS.md for how it was chosen. */
const defaultParallel = 32;
const tenMinutesMs = 10 * 60_000;
const fourHoursMs = 4 * 3_600_000;

/** Takes one restore from whatever phase it is in to its end. */
export class RestoreRunner {
  readonly #deps: RestoreDeps;

  constructor(deps: RestoreDeps) {
    this.#deps = deps;
  }

  /** Runs a restore; returns when its last status is written, throws when that was not possible. */
  async run(found: Restore, signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#deps;
    const since = clock.monotonic();
    const name = found.metadata.name;
    const run = { restore: found };
    const live = this.#deps.liveLogs?.open(found.metadata.uid);
    const runLog = await RunLog.open(`${found.metadata.namespace}/${name}`, () => clock.now(), live?.add);
    try {
      for (let wait = 1_000; ; wait = Math.min(30_000, wait * 2)) {
        try {
          return await this.#once(run, runLog, signal);
        } catch (error) {
          if (signal.aborted) return await this.#stopped(run.restore, signal);
          if (!mayPass(error) || clock.monotonic() - since > tenMinutesMs)
            return await this.#fail(run.restore, messageOf(error));
          log("warning", `restore "${name}" is tried again`, { error: messageOf(error) });
          await sleep(clock, wait, signal).catch(() => undefined); // told to stop: the next try sees it
        }
      }
    } finally {
      live?.close();
      await runLog.close();
    }
  }

  /** Ends a restore that was canceled while nothing of it ran. */
  async drop(found: Restore): Promise<void> {
    await this.#fail(found, "canceled by request");
  }

  async #once(run: { restore: Restore }, runLog: RunLog, signal: AbortSignal): Promise<void> {
    const { client, namespace } = this.#deps;
    const found = run.restore;
    const admission = admit(found, {
      backups: await client.list<Backup>(backups, { namespace }, signal),
      locations: await client.list<BackupStorageLocation>(locations, { namespace }, signal),
      labelValue,
    });
    const modifiers = await modifiersOf(this.#deps, found, signal);
    const policy = await itemRulesOf(this.#deps, found, signal);
    const actor = await this.#actor(found, signal);
    const faults = [
      ...admission.faults,
      ...("fault" in policy ? [policy.fault] : []),
      ...("fault" in modifiers ? [modifiers.fault] : []),
      ...("fault" in actor ? [actor.fault] : []),
    ];
    const { backup, location } = admission;
    const fresh = isNew(found);
    if (faults.length > 0 || backup === undefined || location === undefined) {
      return fresh ? this.#refuse(found, faults) : this.#fail(found, faults.join("; "));
    }
    if (fresh) run.restore = await this.#begin(found, admission, signal);
    const store = await this.#deps.openStore(location, signal);
    const acting = this.#acting(run.restore, "account" in actor ? actor.account : undefined);
    try {
      const text = "text" in modifiers ? modifiers.text : undefined;
      const end = await this.#work(
        {
          restore: run.restore,
          backup,
          store,
          runLog,
          modifiers: text,
          rules: "rules" in policy ? policy.rules : undefined,
          resumed: !fresh,
          client: acting.client,
        },
        signal,
      );
      await this.#end(run.restore, runLog, end);
    } catch (error) {
      const reason: unknown = signal.aborted ? signal.reason : error;
      const ends = signal.aborted ? reason instanceof Canceled : !mayPass(error);
      if (ends) await this.#leaveTrace(run.restore, store, runLog, reason);
      throw error;
    } finally {
      acting.close();
    }
  }

  /** Who does it; an account that is not there has no rights, and would fail item by item. */
  async #actor(found: Restore, signal: AbortSignal): Promise<Actor> {
    const { client, namespace, restoreRights = ownRights } = this.#deps;
    const actor = actorOf(found, restoreRights);
    if ("fault" in actor || actor.account === undefined) return actor;
    try {
      await client.get(builtIn.serviceAccounts, actor.account, { namespace }, signal);
      return actor;
    } catch (error) {
      if (!isNotFound(error)) throw error;
      return { fault: `there is no service account "${namespace}/${actor.account}" to restore with` };
    }
  }

  /** The client for everything that is restored. The server's own objects are read and written with its own rights. */
  #acting(restore: Restore, account: string | undefined): { client: Client; close: () => void } {
    const { client } = this.#deps;
    if (account === undefined) return { client, close: () => undefined };
    const namespace = restore.metadata.namespace ?? this.#deps.namespace;
    const own = client.asServiceAccount(namespace, account);
    const advice = adviceFor(namespace, account);
    return { client: mapErrors(own, (error) => explainRefusal(error, advice)), close: () => own.close() };
  }

  async #work(work: RestoreWork, signal: AbortSignal): Promise<RunEnd> {
    const { clock, report, podVolumes, priorities } = this.#deps;
    const { restore, backup, store, runLog, modifiers, rules, client } = work;
    return runRestore(
      {
        restore,
        backup,
        cluster: client,
        store,
        clock,
        log: runLog,
        parallel: this.#deps.parallel ?? defaultParallel,
        resumed: work.resumed,
        ...(priorities && { priorities }),
        resourceTimeoutMs: this.#deps.resourceTimeoutMs ?? tenMinutesMs,
        terminatingTimeoutMs: this.#deps.terminatingTimeoutMs ?? tenMinutesMs,
        podVolumeBackups: await podVolumeBackupsOf(this.#deps, backup, store, signal),
        volumes: podVolumes,
        openSnapshots: this.#deps.openSnapshotRestores,
        openOperations: this.#deps.openRestoreOperations,
        openActions: this.#deps.openRestoreActions,
        runInPod: this.#deps.runInPodAs?.(client),
        hookTimeoutMs: parseGoDurationMs(restore.spec?.itemOperationTimeout ?? "") || fourHoursMs,
        settings: {
          ...(await actionSettings(this.#deps, signal)),
          ...(modifiers !== undefined && { modifiers }),
          ...(rules && { rules }),
        },
        counted: () => report.flush(signal),
        onProgress: (told, facts) => void report.tell(restore, tellRestore(restore, told), { status: facts }),
      },
      signal,
    );
  }

  #begin(found: Restore, admission: Admission, signal: AbortSignal): Promise<Restore> {
    const finalizers = new Set([...(found.metadata.finalizers ?? []), veleroNames.restoreFinalizer]);
    const status = { phase: "InProgress", startTimestamp: timestamp(this.#deps.clock.now()) };
    return this.#patch(
      found,
      { metadata: { finalizers: [...finalizers] }, spec: admission.spec, status },
      signal,
    );
  }

  async #refuse(found: Restore, faults: readonly string[]): Promise<void> {
    const status: Status = { phase: "FailedValidation", validationErrors: faults };
    await this.#finish(found, status);
  }

  /** A merge patch that can only hit this very restore. */
  #patch(
    restore: Restore,
    body: { metadata?: object; spec?: object; status: object },
    signal: AbortSignal,
  ): Promise<Restore> {
    const { name, namespace, uid } = restore.metadata;
    const guarded = { ...body, metadata: { ...body.metadata, uid } };
    return this.#deps.client.patch<Restore>(
      restores,
      name,
      { type: "merge", body: guarded },
      { namespace },
      signal,
    );
  }

  async #end(restore: Restore, runLog: RunLog, { progress, hooks, operations }: RunEnd): Promise<void> {
    const { warnings, errors } = runLog;
    await this.#finish(restore, {
      phase: errors.count > 0 ? "PartiallyFailed" : "Completed",
      completionTimestamp: timestamp(this.#deps.clock.now()),
      progress,
      ...operations,
      ...(hooks.total > 0 && { hookStatus: { hooksAttempted: hooks.total, hooksFailed: hooks.failed } }),
      ...(warnings.count > 0 && { warnings: warnings.count }),
      ...(errors.count > 0 && { errors: errors.count }),
    });
  }

  async #fail(restore: Restore, reason: string): Promise<void> {
    const completionTimestamp = timestamp(this.#deps.clock.now());
    await this.#finish(restore, { phase: "Failed", failureReason: reason, completionTimestamp });
  }

  async #finish(restore: Restore, status: Status): Promise<void> {
    await this.#deps.report.end(restore, tellEnd(restore, status, this.#deps.clock.now()), { status });
  }

  /** What is known of a restore that failed as a whole is stored like that of any other. */
  async #leaveTrace(restore: Restore, store: Store, runLog: RunLog, error: unknown): Promise<void> {
    runLog.fail("velero", messageOf(error));
    const soon = AbortSignal.timeout(60_000);
    await saveResults(store, restore.metadata.name, runLog, soon).catch((second: unknown) =>
      this.#deps.log("warning", `the log of restore "${restore.metadata.name}" was not stored`, {
        error: messageOf(second),
      }),
    );
  }

  /** The operator ends, and the next one goes on; or the restore was canceled, and ends here. */
  async #stopped(restore: Restore, signal: AbortSignal): Promise<void> {
    if (!(signal.reason instanceof Canceled)) return;
    await this.#deps.podVolumes?.cancel(restore, AbortSignal.timeout(60_000));
    await this.#fail(restore, signal.reason.message);
  }
}

interface RestoreWork {
  readonly restore: Restore;
  readonly backup: Backup;
  readonly store: Store;
  readonly runLog: RunLog;
  readonly modifiers: string | undefined;
  readonly rules: ItemRules | undefined;
  readonly resumed: boolean;
  /** Has the rights of whoever does it. */
  readonly client: Client;
}

/** Whether a restore waits to be begun. */
function isNew({ status }: Restore): boolean {
  return (status?.phase ?? "New") === "New";
}

/** A moment as Kubernetes writes it: seconds, UTC. */
function timestamp(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

/** Whether the same run may succeed in a while. */
function mayPass(error: unknown): boolean {
  return isPassing(error) || (error instanceof AppError && error.code === "STORE_UNREACHABLE");
}
