import { randomBytes } from "node:crypto";
import type { PodVolumeRestore } from "../../api/index.ts";
import { findingPlace, lastPhase, type PlannedVolume, type RestoreTold } from "../../kinds/index.ts";
import { Canceled, labelValue } from "../../kube/index.ts";
import type { StallCause } from "../../progress/index.ts";
import { backupKey, storedList } from "../../store/index.ts";
import { readArchive } from "./archive/read.ts";
import { Spool } from "./archive/spool.ts";
import { type Filters, filtersOf } from "./choice.ts";
import { HookRunner } from "./hook-runner.ts";
import { execHooksOf, withInitHooks } from "./hooks.ts";
import { AllRestoreOperations } from "./item-operations.ts";
import { bringItems } from "./item-pass.ts";
import { ItemRestorer } from "./item-restorer.ts";
import { type Json, recordsOf } from "./json.ts";
import { boundVolumes, finishNewVolumes } from "./new-volumes.ts";
import { type OpenedOperations, openOperations } from "./open-operations.ts";
import { Outcomes } from "./outcomes.ts";
import { inParallel } from "./parallel.ts";
import { type Plan, type PlannedType, planOf } from "./plan.ts";
import { plannedVolumes } from "./planned-volumes.ts";
import { type Priorities, resolvedPriorities } from "./priorities.ts";
import { Tally } from "./progress.ts";
import type { PutContext } from "./put.ts";
import { recallVolumes } from "./recall-volumes.ts";
import { keyOf, RestoredVolumes } from "./restored-volumes.ts";
import { findRestored } from "./resume.ts";
import type { RunEnd, RunOptions } from "./run-options.ts";
import { saveFiles } from "./save.ts";
import { Served } from "./served.ts";
import { itemContext } from "./settings.ts";
import type { SnapshotRestores } from "./snapshots.ts";

const tellEveryMs = 100;

/** One type and how far it is. */
interface TypeProgress {
  readonly groupResource: string;
  readonly total: number;
  done: number;
}

/** Runs a restore from the first byte of the archive to the last file; throws when it cannot be prepared. */
export async function runRestore(options: RunOptions, signal: AbortSignal): Promise<RunEnd> {
  const spool = await Spool.open();
  const run = new Run(options, spool);
  try {
    return await run.go(signal);
  } catch (error) {
    if (signal.reason instanceof Canceled) await run.cancelOperations(AbortSignal.timeout(60_000));
    throw error;
  } finally {
    await run.close();
    await spool.close();
  }
}

class Run {
  readonly #options: RunOptions;
  readonly #spool: Spool;
  readonly #types: TypeProgress[] = [];
  #step: RestoreTold["step"] = "archive";
  #archive: { done: number; total?: number } = { done: 0 };
  #tally: Tally | undefined;
  #present: string | undefined;
  #toldAt = 0;
  /** Items that are being restored now, and the types that they count for. */
  readonly #atWork = new Map<number, TypeProgress>();
  #waitingFor: string | undefined;
  #waitingCause: StallCause | undefined;
  #volumes: readonly PodVolumeRestore[] = [];
  #planned: readonly PlannedVolume[] = [];
  /** Fires when nobody watches volumes beside the items any more. */
  readonly #over = new AbortController();
  #snapshots: SnapshotRestores | undefined;
  #operations: OpenedOperations = { all: new AllRestoreOperations([]), plugins: undefined };
  /** What the status says about a run whose items are done. */
  #stage: "waiting" | "finishing" | undefined;
  #nativeSnapshots: readonly Json[] = [];
  #volumeInfos: readonly Json[] = [];
  readonly #facts = new RestoredVolumes();
  readonly #hooks: HookRunner;

  constructor(options: RunOptions, spool: Spool) {
    this.#options = options;
    this.#spool = spool;
    this.#hooks = new HookRunner({ ...options, run: options.runInPod, limitMs: options.hookTimeoutMs });
  }

  async go(signal: AbortSignal): Promise<RunEnd> {
    const { restore, cluster, log, settings } = this.#options;
    const served = new Served(await cluster.discover(signal));
    const filters = filtersOf(restore.spec ?? {}, (word) => served.resolve(word), settings.rules);
    for (const { kind, reason } of filters.idle)
      log.warn("velero", `a rule of the resource policy for "${kind}" has no effect: ${reason}`);
    await this.#read(filters, signal);
    const plan = planOf(this.#spool, filters, this.#priorities(served));
    const tally = new Tally(plan.totalItems, restore.status?.progress?.itemsRestored ?? 0);
    this.#tally = tally;
    const { podVolumeBackups, volumes } = this.#options;
    if (volumes) this.#planned = plannedVolumes(plan, this.#spool, podVolumeBackups);
    this.#step = "items";
    log.info(`${plan.totalItems} items are to be restored`);
    this.#tell();
    await this.#options.counted();
    const waiting = (what: string | undefined, cause?: StallCause): void => this.#wait(what, cause);
    const given = { spool: this.#spool, filters, served, moved: () => this.#move(), waiting };
    this.#operations = await openOperations(this.#options, given, signal);
    await this.#watchVolumes(signal);
    const outcomes = new Outcomes(this.#spool.size);
    await this.#items({ plan, filters, served, tally, outcomes }, signal);
    await this.#waitForVolumes(signal);
    await this.#waitForOperations(signal);
    await this.#runHooks(signal);
    this.#step = "finish";
    if (this.#stage) this.#stage = "finishing";
    this.#tell();
    log.info("the items are done; what is known of the restore is stored");
    const target = (name: string): string => filters.target(name);
    const volumeInfos = await this.#finishVolumes(target, signal);
    const operations = this.#operations.all.list().map(({ stored }) => stored);
    await saveFiles(
      { ...this.#options, spool: this.#spool, outcomes, volumeInfos, operations, target },
      signal,
    );
    await this.#operations.plugins?.forget(signal);
    return {
      progress: tally.progress(),
      hooks: this.#hooks.numbers,
      operations: this.#operations.all.counts(),
    };
  }

  async close(): Promise<void> {
    this.#over.abort();
    await this.#snapshots?.close();
    await this.#operations.plugins?.close();
  }

  #priorities(served: Served): Priorities | undefined {
    const { priorities } = this.#options;
    return priorities && resolvedPriorities(priorities, (word) => served.resolve(word));
  }

  async #read(filters: Filters, signal: AbortSignal): Promise<void> {
    const { store, backup, log } = this.#options;
    const key = backupKey(backup.metadata.name, "contents");
    const info = await store.head(key, signal);
    this.#archive = { done: 0, ...(info?.bytes !== undefined && { total: info.bytes }) };
    this.#tell();
    const progress = (done: number): void => {
      this.#archive = { ...this.#archive, done };
      this.#move();
    };
    const source = await store.get(key, signal);
    const summary = await readArchive(source, this.#spool, { ...filters, progress }, signal);
    for (const { entry, reason } of summary.faults) {
      const place = findingPlace(entry.namespace === undefined ? "" : filters.target(entry.namespace));
      log.fail(place, `${entry.resource} "${entry.name}" of the archive cannot be read: ${reason}`);
    }
    if (summary.moreFaults > 0)
      log.fail("velero", `${summary.moreFaults} more items of the archive cannot be read`);
    if (summary.items === 0 && summary.faults.length === 0)
      log.warn("velero", "the backup has nothing that this restore asks for");
  }

  async #items(work: Work, signal: AbortSignal): Promise<void> {
    const { plan, served, tally, outcomes } = work;
    const { restore, backup, store } = this.#options;
    const put = this.#put();
    const snapshots = await this.#openSnapshots(signal);
    this.#volumeInfos = recordsOf(await storedList(store, backup.metadata.name, "volumeInfo", signal));
    const context = itemContext({
      ...this.#options,
      ...work,
      spool: this.#spool,
      put,
      snapshots,
      operations: this.#operations.all,
      plugins: this.#operations.plugins,
      facts: this.#facts,
      volumeInfos: this.#volumeInfos,
    });
    const restorer = new ItemRestorer({
      ...context,
      present: (text) => void (this.#present = text),
      moved: () => this.#move(),
      ended: (ordinal) => this.#count(ordinal),
      hook: (pod, namespace) => withInitHooks(pod, restore.spec ?? {}, namespace, randomName),
      created: (pod, namespace) => this.#hooks.add(pod, execHooksOf(pod, restore.spec ?? {}, namespace)),
    });
    await bringItems(
      {
        ...this.#options,
        plan,
        served,
        put,
        spool: this.#spool,
        restorer,
        type: (type) => this.#type(type, restorer, served, signal),
        waiting: (what) => this.#wait(what),
        namespace: (target, ended) => {
          tally.take();
          tally.record();
          if (ended) outcomes.add("v1/Namespace", target, ended.outcome);
          tally.finish();
          this.#move();
        },
      },
      signal,
    );
  }

  #put(): PutContext {
    const { restore, backup, cluster, clock } = this.#options;
    return {
      cluster,
      clock,
      labels: {
        backup: labelValue(backup.metadata.name),
        restore: labelValue(restore.metadata.name),
      },
      restoreCreatedAt: restore.metadata.creationTimestamp ?? "",
      policy: restore.spec?.existingResourcePolicy === "update" ? "update" : "none",
      waiting: (reason) => this.#wait(reason),
    };
  }

  async #openSnapshots(signal: AbortSignal): Promise<SnapshotRestores | undefined> {
    const { restore, backup, store, log, openSnapshots } = this.#options;
    const snapshots = recordsOf(await storedList(store, backup.metadata.name, "volumeSnapshots", signal));
    this.#nativeSnapshots = snapshots;
    if (snapshots.length === 0) return undefined;
    const warn = (message: string) => log.warn("cluster", message);
    const given = { restore, backup, snapshots, warn, moved: () => this.#move() };
    this.#snapshots = await openSnapshots?.(given, signal);
    return this.#snapshots;
  }

  async #type(type: PlannedType, restorer: ItemRestorer, served: Served, signal: AbortSignal): Promise<void> {
    const progress: TypeProgress = { groupResource: type.groupResource, total: type.totalItems, done: 0 };
    this.#types.push(progress);
    this.#options.log.info(`restoring ${type.groupResource}: ${type.totalItems}`);
    if (this.#options.resumed && restorer.isDoneWhenThere(type.groupResource)) {
      await findRestored(type, restorer, { ...this.#options, spool: this.#spool, served }, signal);
    }
    const work = async (ordinal: number): Promise<void> => {
      this.#atWork.set(ordinal, progress);
      await restorer.restore(ordinal, signal);
      this.#count(ordinal);
    };
    await inParallel(ordinals(type), this.#options.parallel, work, signal);
    this.#tell();
  }

  /** Counts an item for its type, once and before anybody is told of it: else it would count among the others for that moment. */
  #count(ordinal: number): void {
    const progress = this.#atWork.get(ordinal);
    if (progress && this.#atWork.delete(ordinal)) progress.done += 1;
  }

  /** Volumes are copied from the moment their pods are there, long before the last item. */
  async #watchVolumes(signal: AbortSignal): Promise<void> {
    const told = (copies: readonly PodVolumeRestore[]): void => {
      this.#volumes = copies;
      this.#move();
    };
    const until = AbortSignal.any([signal, this.#over.signal]);
    if (this.#planned.length > 0) await this.#options.volumes?.watch(this.#options.restore, told, until);
  }

  /** Operations that a canceled restore began are told to stop; those of one whose operator ends go on. */
  async cancelOperations(signal: AbortSignal): Promise<void> {
    await this.#operations.all.cancel(signal);
  }

  async #waitForOperations(signal: AbortSignal): Promise<void> {
    if (this.#operations.all.list().length > 0) {
      this.#stage = "waiting";
      this.#step = "volumes";
      this.#tell();
    }
    await this.#operations.all.finish(signal);
  }

  async #waitForVolumes(signal: AbortSignal): Promise<void> {
    const { volumes, restore, log } = this.#options;
    this.#present = undefined;
    this.#over.abort();
    if (volumes === undefined) return;
    this.#step = "volumes";
    this.#tell();
    const told = (copies: readonly PodVolumeRestore[]): void => {
      this.#volumes = copies;
      this.#tell();
    };
    for (const { namespace, pod, volume, error } of await volumes.wait(restore, told, signal)) {
      if (error !== undefined)
        log.fail({ namespace }, `volume "${volume}" of Pod "${pod}" was not restored: ${error}`);
    }
  }

  /** What can be said and done about volumes only when everything else is there. */
  async #finishVolumes(target: (name: string) => string, signal: AbortSignal): Promise<readonly Json[]> {
    const { resourceTimeoutMs: limitMs } = this.#options;
    const waiting = (reason: string | undefined): void => this.#wait(reason);
    const context = { ...this.#options, put: this.#put(), limitMs, waiting };
    if (this.#options.resumed) {
      await recallVolumes(this.#facts, { ...this.#options, snapshots: this.#nativeSnapshots }, signal);
    }
    await finishNewVolumes(this.#facts.fresh(this.#volumeInfos, target), context, signal);
    const bound = await boundVolumes(this.#facts.claims(), context, signal);
    const infos = this.#facts.infos(this.#nativeSnapshots, (claim) => bound.get(keyOf(claim)));
    return [...infos, ...(await this.#operations.all.volumeInfos(signal))];
  }

  async #runHooks(signal: AbortSignal): Promise<void> {
    if (this.#hooks.numbers.total === 0) return;
    this.#step = "hooks";
    await this.#hooks.finish((waitingFor) => this.#wait(waitingFor), signal);
    this.#wait(undefined);
  }

  #wait(what: string | undefined, cause?: StallCause): void {
    if (what !== undefined && what !== this.#waitingFor) this.#options.log.info(`waiting for ${what}`);
    this.#waitingFor = what;
    this.#waitingCause = cause;
    this.#tell();
  }

  /** Items come by the thousand a second; nobody sees more than ten numbers of them. */
  #move(): void {
    const now = this.#options.clock.monotonic();
    if (now - this.#toldAt < tellEveryMs && now >= this.#toldAt) return;
    this.#tell();
  }

  #tell(): void {
    this.#toldAt = this.#options.clock.monotonic();
    const { log, onProgress } = this.#options;
    const items = this.#tally?.progress();
    const told: RestoreTold = {
      step: this.#step,
      archive: this.#archive,
      ...(items && { items }),
      types: this.#types,
      present: this.#present,
      waitingFor: this.#waitingFor,
      waitingCause: this.#waitingCause,
      volumes: [...this.#volumes, ...(this.#snapshots?.objects() ?? [])],
      operations: this.#operations.all.list().map(({ seen }) => seen),
      planned: this.#planned,
      expectedItems: this.#options.backup.status?.progress?.totalItems,
      hooks: this.#hooks.numbers,
      warnings: log.warnings.count,
      errors: log.errors.count,
    };
    const phase = this.#stage && { phase: lastPhase(this.#stage, log.errors.count) };
    onProgress(told, { ...phase, ...this.#operations.all.counts() });
  }
}

/** What the parts of a run share. */
interface Work {
  readonly plan: Plan;
  readonly filters: Filters;
  readonly served: Served;
  readonly tally: Tally;
  readonly outcomes: Outcomes;
}

function randomName(): string {
  return randomBytes(4).toString("hex");
}

function* ordinals(type: PlannedType): Generator<number> {
  for (const group of type.groups) yield* group.items;
}
