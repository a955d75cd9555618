import type { Backup, ItemRules, PodVolumeBackup, Restore } from "../../api/index.ts";
import { PlanTally, type RestorePlan, type Verdict } from "../../kinds/index.ts";
import { type Clock, labelValue } from "../../kube/index.ts";
import { backupKey, type Store, storedList } from "../../store/index.ts";
import { type ArchiveSummary, readArchive } from "./archive/read.ts";
import { Spool } from "./archive/spool.ts";
import { type Filters, filtersOf } from "./choice.ts";
import { DryCluster } from "./dry-cluster.ts";
import { execHooksOf, withInitHooks } from "./hooks.ts";
import { AllRestoreOperations, type OpenRestoreOperations } from "./item-operations.ts";
import { bringItems } from "./item-pass.ts";
import { ItemRestorer } from "./item-restorer.ts";
import { type Json, recordsOf } from "./json.ts";
import { openSources } from "./open-operations.ts";
import { type Ended, Outcomes } from "./outcomes.ts";
import { inParallel } from "./parallel.ts";
import { type PlannedType, planOf } from "./plan.ts";
import { dataOf } from "./plan-data.ts";
import { type Priorities, resolvedPriorities } from "./priorities.ts";
import { Tally } from "./progress.ts";
import { RestoredVolumes } from "./restored-volumes.ts";
import { RunLog } from "./run-log.ts";
import { type Cluster, Served } from "./served.ts";
import { itemContext } from "./settings.ts";
import type { SnapshotRestores } from "./snapshots.ts";
import { verdictOf } from "./verdict.ts";
import type { PodVolumeRestores } from "./volumes.ts";

/** What the plan of a restore needs; nothing of it is written to. */
export interface PlanOptions {
  /** Admitted: validated and complete, though it may not exist. */
  readonly restore: Restore;
  readonly backup: Backup;
  /** With the rights of whoever looks. */
  readonly cluster: Cluster;
  readonly store: Pick<Store, "get" | "head" | "place">;
  readonly clock: Clock;
  readonly parallel: number;
  readonly priorities?: Priorities | undefined;
  readonly podVolumeBackups: readonly PodVolumeBackup[];
  /** How pods with volumes are held back; absent where the content of pod volumes is not restored. */
  readonly prepare?: PodVolumeRestores["prepare"] | undefined;
  /** Whether native snapshots can be made into volumes. */
  readonly hasSnapshotter: boolean;
  /** Opens what else works on items, for a cluster without effects. */
  readonly openOperations?: ((cluster: DryCluster) => readonly OpenRestoreOperations[]) | undefined;
  readonly settings: {
    readonly storageClasses?: Json;
    readonly images?: Json;
    readonly modifiers?: string;
    readonly rules?: ItemRules;
  };
  /** Whether whoever looks may read a type in a namespace ("" for what has none). */
  mayRead(groupResource: string, namespace: string, signal: AbortSignal): Promise<boolean>;
  /** Told how many items are dealt with, of how many. */
  readonly moved?: ((done: number, total: number) => void) | undefined;
}

/** What a plan finds out about the items and volumes of a restore. */
export type ItemPlan = Omit<RestorePlan, "restore" | "backup" | "faults" | "time" | "notes">;

/** Looks at what a restore would do, by going the way of a run on a cluster without effects. */
export async function planItems(options: PlanOptions, signal: AbortSignal): Promise<ItemPlan> {
  const { restore } = options;
  const spool = await Spool.open();
  const log = await RunLog.open(restore.metadata.name, () => options.clock.now());
  try {
    return await new Planning(options, spool, log).go(signal);
  } finally {
    await log.close();
    await spool.close();
  }
}

class Planning {
  readonly #options: PlanOptions;
  readonly #spool: Spool;
  readonly #log: RunLog;
  readonly #cluster: DryCluster;
  readonly #tally = new PlanTally();
  readonly #hidden = new Set<string>();
  /** Namespaces of the backup whose own objects may be read. */
  readonly #spaces = new Set<string>();
  /** What becomes of those that hold data, by their place in the backup; bounded by its pods, claims and volumes. */
  readonly #keepers = new Map<string, Verdict>();
  #hooks = 0;

  constructor(options: PlanOptions, spool: Spool, log: RunLog) {
    this.#options = options;
    this.#spool = spool;
    this.#log = log;
    this.#cluster = new DryCluster(options.cluster);
  }

  async go(signal: AbortSignal): Promise<ItemPlan> {
    const { restore, backup, store, priorities, podVolumeBackups, settings } = this.#options;
    const served = new Served(await this.#cluster.discover(signal));
    const filters = filtersOf(restore.spec ?? {}, (word) => served.resolve(word), settings.rules);
    const source = await store.get(backupKey(backup.metadata.name, "contents"), signal);
    const summary = await readArchive(source, this.#spool, filters, signal);
    await this.#readRights(filters, summary, signal);
    const resolved = priorities && resolvedPriorities(priorities, (word) => served.resolve(word));
    const plan = planOf(this.#spool, filters, resolved);
    const tally = new Tally(plan.totalItems);
    const context = await this.#context({ filters, served, tally }, signal);
    const restorer = new ItemRestorer({
      ...context,
      isPlan: true,
      present: () => undefined,
      moved: () => this.#options.moved?.(tally.progress().itemsRestored, tally.progress().totalItems),
      hook: (pod, namespace) => withInitHooks(pod, restore.spec ?? {}, namespace, () => "plan"),
      created: (pod, namespace) => {
        this.#hooks += execHooksOf(pod, restore.spec ?? {}, namespace).length;
      },
      ended: (ordinal, ended) => this.#end(ordinal, ended, filters),
    });
    await bringItems(
      {
        ...this.#options,
        cluster: this.#cluster,
        log: this.#log,
        plan,
        served,
        put: context.put,
        spool: this.#spool,
        restorer,
        resourceTimeoutMs: 0,
        terminatingTimeoutMs: 0,
        type: (type) => this.#type(type, restorer, signal),
        waiting: () => undefined,
        namespace: (target, ended) => this.#space(target, plan.namespaces.get(target) ?? target, ended),
      },
      signal,
    );
    this.#faults(summary, filters);
    const volumes = dataOf({
      restore,
      infos: context.volumeInfos,
      backups: podVolumeBackups,
      copiesVolumes: this.#options.prepare !== undefined,
      target: (namespace) => filters.target(namespace),
      verdict: (type, namespace, name) => this.#keepers.get(`${type} ${namespace}/${name}`),
    });
    return {
      ...this.#tally.result(),
      volumes,
      bytes: volumes.reduce((sum, { bytes = 0, leftOut }) => sum + (leftOut === undefined ? bytes : 0), 0),
      hooks: this.#hooks,
      hidden: [...new Set([...this.#hidden].map((key) => key.split(" ")[0] ?? ""))].toSorted(),
    };
  }

  async #context(given: { filters: Filters; served: Served; tally: Tally }, signal: AbortSignal) {
    const { restore, backup, store, clock, prepare, settings, podVolumeBackups } = this.#options;
    const { name } = backup.metadata;
    const volumeInfos = recordsOf(await storedList(store, name, "volumeInfo", signal));
    const snapshots = recordsOf(await storedList(store, name, "volumeSnapshots", signal));
    const sources = await openSources(
      this.#options.openOperations?.(this.#cluster) ?? [],
      { ...given, restore, backup, log: this.#log, spool: this.#spool, moved: () => undefined },
      signal,
    );
    const context = itemContext({
      ...given,
      restore,
      spool: this.#spool,
      log: this.#log,
      outcomes: new Outcomes(this.#spool.size),
      put: {
        cluster: this.#cluster,
        clock,
        labels: { backup: labelValue(name), restore: labelValue(restore.metadata.name) },
        restoreCreatedAt: "9999-12-31T23:59:59Z", // nothing that is there can be this restore's own work
        policy: restore.spec?.existingResourcePolicy === "update" ? "update" : "none",
      },
      podVolumeBackups,
      volumes: prepare && withoutStart(prepare),
      snapshots: snapshots.length > 0 && this.#options.hasSnapshotter ? foreseen(snapshots) : undefined,
      operations: new AllRestoreOperations(sources),
      plugins: undefined,
      terminatingTimeoutMs: 0,
      facts: new RestoredVolumes(),
      volumeInfos,
      settings,
    });
    return { ...context, volumeInfos };
  }

  async #type(type: PlannedType, restorer: ItemRestorer, signal: AbortSignal): Promise<void> {
    const ordinals = type.groups.flatMap(({ items }) => [...items]);
    await inParallel(ordinals, this.#options.parallel, (each) => restorer.restore(each, signal), signal);
  }

  /** Asks once a type and namespace, on both ends of the way: the answer must not tell more than the person could read. */
  async #readRights(filters: Filters, { faults }: ArchiveSummary, signal: AbortSignal): Promise<void> {
    const places = [
      ...this.#spool.groups,
      ...faults.map(({ entry }) => ({
        groupResource: entry.group === "" ? entry.resource : `${entry.resource}.${entry.group}`,
        namespace: entry.namespace ?? "",
      })),
    ].filter(({ groupResource }) => groupResource !== "namespaces");
    const keys = new Set(places.map(({ groupResource, namespace }) => `${groupResource} ${namespace}`));
    const ask = async (key: string): Promise<void> => {
      const [type = "", namespace = ""] = key.split(" ");
      const target = filters.target(namespace);
      const both = [...new Set([namespace, target])];
      const may = await Promise.all(both.map((each) => this.#options.mayRead(type, each, signal)));
      if (may.includes(false)) this.#hidden.add(key);
    };
    await inParallel([...keys], this.#options.parallel, ask, signal);
    const names = new Set(this.#spool.groups.map(({ namespace }) => namespace));
    for (const { groupResource, id } of this.#spool.groups)
      if (groupResource === "namespaces") for (const name of this.#namesOf(id)) names.add(name);
    const look = async (name: string): Promise<void> => {
      const both = [...new Set([name, filters.target(name)])];
      const may = await Promise.all(both.map((each) => this.#options.mayRead("namespaces", each, signal)));
      if (!may.includes(false)) this.#spaces.add(name);
    };
    await inParallel([...names], this.#options.parallel, look, signal);
  }

  *#namesOf(group: number): Generator<string> {
    for (const ordinal of this.#spool.selectedByGroup().get(group) ?? []) yield this.#spool.nameOf(ordinal);
  }

  /** By the namespace of the backup. */
  #isShown(groupResource: string, namespace: string): boolean {
    return !this.#hidden.has(`${groupResource} ${namespace}`);
  }

  #end(ordinal: number, ended: Ended, filters: Filters): void {
    const { groupResource, namespace } = this.#spool.groupOf(ordinal);
    if (!this.#isShown(groupResource, namespace)) return;
    const name = this.#spool.nameOf(ordinal);
    if (keepers.has(groupResource))
      this.#keepers.set(`${groupResource} ${namespace}/${name}`, verdictOf(ended));
    this.#add(groupResource, filters.target(namespace), name, ended);
  }

  /** A namespace of which nothing may be read is not named either. */
  #space(target: string, source: string, ended: Ended | undefined): void {
    const own = this.#spool.groups.filter(({ namespace }) => namespace === source);
    const isShown = own.some(({ groupResource }) => this.#isShown(groupResource, source));
    if (!isShown && !this.#spaces.has(source)) return;
    this.#add("namespaces", "", target, ended ?? { outcome: "skipped", reason: "it is there" });
  }

  #faults({ faults, moreFaults }: ArchiveSummary, filters: Filters): void {
    for (const { entry, reason } of faults) {
      const type = entry.group === "" ? entry.resource : `${entry.resource}.${entry.group}`;
      const namespace = entry.namespace ?? "";
      if (!this.#isShown(type, namespace)) continue;
      const why = `it cannot be read from the archive: ${reason}`;
      this.#add(type, filters.target(namespace), entry.name, { outcome: "failed", reason: why });
    }
    if (moreFaults > 0)
      this.#add("items", "", `${moreFaults} more`, { outcome: "failed", reason: "they cannot be read" });
  }

  #add(resource: string, namespace: string, name: string, ended: Ended): void {
    const notAsked = this.#cluster.whyNotAsked(ended.object);
    this.#tally.add({
      resource,
      ...(namespace !== "" && { namespace }),
      name,
      verdict: verdictOf(ended),
      ...(ended.reason !== undefined && { reason: ended.reason.slice(0, maxReason) }),
      ...(notAsked !== undefined && { notAsked }),
    });
  }
}

const keepers: ReadonlySet<string> = new Set(["pods", "persistentvolumeclaims", "persistentvolumes"]);

/** A webhook may write pages; a line of a plan needs a sentence. */
const maxReason = 500;

/** Pods are held back as in a run; their volumes are not begun. */
function withoutStart(prepare: PodVolumeRestores["prepare"]): PodVolumeRestores {
  return {
    prepare,
    start: async () => undefined,
    watch: async () => undefined,
    wait: async () => [],
    cancel: async () => undefined,
  };
}

/** Volumes as they would come out of their snapshots, as far as that is known before. */
function foreseen(snapshots: readonly Json[]): SnapshotRestores {
  const names = new Set(
    snapshots.map(({ spec }) => (spec as Json | undefined)?.["persistentVolumeName"]), // anything else names no volume
  );
  return {
    has: (volume) => names.has(volume),
    make: async (volume) => volume,
    objects: () => [],
    close: async () => undefined,
  };
}
