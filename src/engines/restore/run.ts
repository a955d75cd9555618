import { randomBytes } from "node:crypto";
import type { Backup, PodVolumeBackup, PodVolumeRestore, Restore } from "../../api/index.ts";
import type { RestoreTold } from "../../kinds/index.ts";
import { type Clock, labelValue } from "../../kube/index.ts";
import { backupKey, type Store, storedList } from "../../store/index.ts";
import { readArchive } from "./archive/read.ts";
import { Spool } from "./archive/spool.ts";
import { type Filters, filtersOf } from "./choice.ts";
import { establish } from "./definitions.ts";
import { placeOf } from "./findings.ts";
import { HookRunner, type RunInPod } from "./hook-runner.ts";
import { execHooksOf, withInitHooks } from "./hooks.ts";
import { ItemRestorer } from "./item-restorer.ts";
import { type Json, recordsOf } from "./json.ts";
import { archivedNamespace, ensureNamespace, namespaceFor } from "./namespaces.ts";
import { boundVolumes, finishNewVolumes } from "./new-volumes.ts";
import { Outcomes } from "./outcomes.ts";
import { inParallel } from "./parallel.ts";
import { type Plan, type PlannedType, planOf } from "./plan.ts";
import { type Priorities, resolvedPriorities } from "./priorities.ts";
import { type ItemProgress, Tally } from "./progress.ts";
import type { PutContext } from "./put.ts";
import { recallVolumes } from "./recall-volumes.ts";
import { keyOf, RestoredVolumes } from "./restored-volumes.ts";
import { findRestored } from "./resume.ts";
import type { RunLog } from "./run-log.ts";
import { saveFiles } from "./save.ts";
import { type Cluster, Served } from "./served.ts";
import { itemContext } from "./settings.ts";
import type { OpenSnapshotRestores, SnapshotRestores } from "./snapshots.ts";
import type { PodVolumeRestores } from "./volumes.ts";

const tellEveryMs = 100;

/** One type and how far it is. */
interface TypeProgress {
  readonly groupResource: string;
  readonly total: number;
  done: number;
}

/** What a run needs. */
export interface RunOptions {
  /** Admitted: validated, phase InProgress. */
  readonly restore: Restore;
  readonly backup: Backup;
  readonly cluster: Cluster;
  readonly store: Store;
  readonly clock: Clock;
  readonly log: RunLog;
  /** Items of one type worked on at a time. */
  readonly parallel: number;
  /** An earlier process had begun this restore. */
  readonly resumed: boolean;
  readonly priorities?: Priorities;
  readonly resourceTimeoutMs: number;
  readonly terminatingTimeoutMs: number;
  readonly podVolumeBackups: readonly PodVolumeBackup[];
  readonly volumes: PodVolumeRestores | undefined;
  readonly openSnapshots?: OpenSnapshotRestores | undefined;
  readonly runInPod: RunInPod | undefined;
  /** How long hooks without a limit of their own wait for their pod. */
  readonly hookTimeoutMs: number;
  /** ConfigMaps of the server's namespace that change items: by what they are for. */
  readonly settings: { readonly storageClasses?: Json; readonly images?: Json; readonly modifiers?: string };
  /** The total is known; the first item is created when this returns. */
  readonly counted: () => Promise<void>;
  /** Numbers are those of this run; what an earlier process reached is kept by whoever folds them. */
  readonly onProgress: (told: RestoreTold) => void;
}

/** How a restore ended; its warnings and errors are in its log. */
export interface RunEnd {
  readonly progress: ItemProgress;
  readonly hooks: { readonly total: number; readonly failed: number };
}

/** Runs a restore from the first byte of the archive to the last file; throws when it cannot be prepared. */
export async function runRestore(options: RunOptions, signal: AbortSignal): Promise<RunEnd> {
  const spool = await Spool.open();
  const run = new Run(options, spool);
  try {
    return await run.go(signal);
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
  #waitingFor: string | undefined;
  #volumes: readonly PodVolumeRestore[] = [];
  #snapshots: SnapshotRestores | undefined;
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
    const { restore, cluster, log } = this.#options;
    const served = new Served(await cluster.discover(signal));
    const filters = filtersOf(restore.spec ?? {}, (word) => served.resolve(word));
    await this.#read(filters, signal);
    const plan = planOf(this.#spool, filters, this.#priorities(served));
    const tally = new Tally(plan.totalItems, restore.status?.progress?.itemsRestored ?? 0);
    this.#tally = tally;
    this.#step = "items";
    log.info(`${plan.totalItems} items are to be restored`);
    this.#tell();
    await this.#options.counted();
    const outcomes = new Outcomes(this.#spool.size);
    await this.#items({ plan, filters, served, tally, outcomes }, signal);
    await this.#waitForVolumes(signal);
    await this.#runHooks(signal);
    this.#step = "finish";
    this.#tell();
    const target = (name: string): string => filters.target(name);
    const volumeInfos = await this.#finishVolumes(target, signal);
    await saveFiles({ ...this.#options, spool: this.#spool, outcomes, volumeInfos, target }, signal);
    return { progress: tally.progress(), hooks: this.#hooks.numbers };
  }

  async close(): Promise<void> {
    await this.#snapshots?.close();
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
      const place = placeOf(entry.namespace === undefined ? "" : filters.target(entry.namespace));
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
      facts: this.#facts,
      volumeInfos: this.#volumeInfos,
    });
    const restorer = new ItemRestorer({
      ...context,
      present: (text) => void (this.#present = text),
      moved: () => this.#move(),
      hook: (pod, namespace) => withInitHooks(pod, restore.spec ?? {}, namespace, randomName),
      created: (pod, namespace) => this.#hooks.add(pod, execHooksOf(pod, restore.spec ?? {}, namespace)),
    });
    const definitions = plan.types.filter(({ groupResource }) =>
      groupResource.startsWith("customresourcedefinitions."),
    );
    for (const type of definitions) await this.#type(type, restorer, served, signal);
    const created = restorer.takeCreated();
    if (created.length > 0) {
      this.#wait("custom resource definitions to be established");
      await establish(created, { ...this.#options, served }, signal);
      this.#wait(undefined);
    }
    await this.#ensureNamespaces(plan, put, tally, outcomes, signal);
    for (const type of plan.types)
      if (!definitions.includes(type)) await this.#type(type, restorer, served, signal);
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

  async #ensureNamespaces(
    plan: Plan,
    put: PutContext,
    tally: Tally,
    outcomes: Outcomes,
    signal: AbortSignal,
  ): Promise<void> {
    const { log, terminatingTimeoutMs, parallel } = this.#options;
    const context = { ...put, terminatingLimitMs: terminatingTimeoutMs };
    const ensure = async ([target, source]: [string, string]): Promise<void> => {
      tally.take();
      tally.record();
      try {
        const wanted = namespaceFor(await archivedNamespace(this.#spool, source), target);
        const outcome = await ensureNamespace(wanted, context, signal);
        if (outcome !== undefined) outcomes.add("v1/Namespace", target, outcome);
      } catch (error) {
        signal.throwIfAborted();
        outcomes.add("v1/Namespace", target, "failed");
        log.fail({ namespace: target }, error instanceof Error ? error.message : String(error));
      }
      tally.finish();
      this.#move();
    };
    await inParallel(plan.namespaces, parallel, ensure, signal);
  }

  async #type(type: PlannedType, restorer: ItemRestorer, served: Served, signal: AbortSignal): Promise<void> {
    const progress: TypeProgress = { groupResource: type.groupResource, total: type.totalItems, done: 0 };
    this.#types.push(progress);
    if (this.#options.resumed && restorer.isDoneWhenThere(type.groupResource)) {
      await findRestored(type, restorer, { ...this.#options, spool: this.#spool, served }, signal);
    }
    const work = async (ordinal: number): Promise<void> => {
      await restorer.restore(ordinal, signal);
      progress.done += 1;
    };
    await inParallel(ordinals(type), this.#options.parallel, work, signal);
    this.#tell();
  }

  async #waitForVolumes(signal: AbortSignal): Promise<void> {
    const { volumes, restore, log } = this.#options;
    this.#present = undefined;
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
    return this.#facts.infos(this.#nativeSnapshots, (claim) => bound.get(keyOf(claim)));
  }

  async #runHooks(signal: AbortSignal): Promise<void> {
    if (this.#hooks.numbers.total === 0) return;
    this.#step = "hooks";
    await this.#hooks.finish((waitingFor) => this.#wait(waitingFor), signal);
    this.#wait(undefined);
  }

  #wait(what: string | undefined): void {
    this.#waitingFor = what;
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
    onProgress({
      step: this.#step,
      archive: this.#archive,
      ...(items && { items }),
      types: this.#types,
      present: this.#present,
      waitingFor: this.#waitingFor,
      volumes: [...this.#volumes, ...(this.#snapshots?.objects() ?? [])],
      hooks: this.#hooks.numbers,
      warnings: log.warnings.count,
      errors: log.errors.count,
    });
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
