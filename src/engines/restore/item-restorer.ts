import type { PodVolumeBackup, Restore } from "../../api/index.ts";
import { messageOf } from "../../errors.ts";
import { findingPlace } from "../../kinds/index.ts";
import { type Item, parseItem } from "./archive/item-json.ts";
import type { Spool, SpoolKey } from "./archive/spool.ts";
import type { Filters } from "./choice.ts";
import type { ItemForActions, NamedItem, RestoreActions } from "./item-actions.ts";
import type { ItemOutcome, RestoreOperations } from "./item-operations.ts";
import { ItemVolumes } from "./item-volumes.ts";
import { textOf } from "./json.ts";
import type { Ended, Outcomes } from "./outcomes.ts";
import type { Tally } from "./progress.ts";
import { type PutContext, put, putStatus, title } from "./put.ts";
import type { RestoredVolumes } from "./restored-volumes.ts";
import type { RunLog } from "./run-log.ts";
import type { Served } from "./served.ts";
import type { SnapshotRestores } from "./snapshots.ts";
import { type ActionContext, act, companionsOf, isFinished, isNeverAsItIs } from "./transform/actions.ts";
import { labelled, placed, reset } from "./transform/reset.ts";
import type { VolumeMethod } from "./transform/volumes.ts";
import type { PodVolumeRestores, PodWithVolumes } from "./volumes.ts";

/** What the work on single items needs. */
export interface ItemContext {
  readonly restore: Restore;
  readonly spool: Spool;
  readonly filters: Filters;
  readonly served: Served;
  readonly log: RunLog;
  readonly tally: Tally;
  readonly outcomes: Outcomes;
  readonly put: PutContext;
  readonly actions: Pick<ActionContext, "preserveNodePorts" | "storageClasses" | "images">;
  readonly restorePVs: boolean;
  /** Changes that a person asked for; throws when one cannot be applied. */
  modify(groupResource: string, item: Item): Item;
  /** Puts the hooks' init containers into a pod, and remembers its commands. */
  hook?(pod: Item, sourceNamespace: string): Item;
  created?(pod: Item, sourceNamespace: string): void;
  /** Whether an item gets its status back. */
  restoresStatus(groupResource: string, item: Item): boolean;
  /** How the content of a persistent volume was saved. */
  volumeMethod(volume: Item): VolumeMethod;
  /** Volume backups of a pod of the backup that have a snapshot. */
  volumeBackups(namespace: string, pod: string): readonly PodVolumeBackup[];
  readonly volumes: PodVolumeRestores | undefined;
  /** Volumes out of snapshots; absent when nothing here can make them. */
  readonly snapshots?: SnapshotRestores | undefined;
  /** What else works on items. */
  readonly operations: Pick<RestoreOperations, "needs" | "act">;
  /** What plugins do to items; absent when there are none. */
  readonly plugins?: Pick<RestoreActions, "wants" | "change"> | undefined;
  /** How long a volume that is on its way out is waited for. */
  readonly terminatingTimeoutMs: number;
  /** A plan waits for nothing: what is on its way out is taken for gone. */
  readonly isPlan?: boolean;
  /** Writes down what became of volumes. */
  readonly facts: RestoredVolumes;
  /** Told which item is being worked on. */
  present(text: string): void;
  /** Told when a number changed. */
  moved(): void;
  /** Told how each item ended. */
  ended?(ordinal: number, ended: Ended): void;
}

/** Brings single items from the spool into the cluster, each once, with those that they need. */
export class ItemRestorer {
  readonly #context: ItemContext;
  /** 1: met; 2: and in the cluster now, whoever made it. Grows with the spool's number of items, one byte each. */
  readonly #met: Uint8Array;
  /** Items under way, for those that need them; bounded by the items worked on at a time. */
  readonly #running = new Map<number, Promise<void>>();
  readonly #volumes: ItemVolumes;
  readonly #created: Item[] = [];
  /** Which item waits for which one that a plugin names; bounded by the items worked on at a time. */
  readonly #waits = new Map<number, number>();

  constructor(context: ItemContext) {
    this.#context = context;
    this.#met = new Uint8Array(context.spool.size);
    this.#volumes = new ItemVolumes(context);
  }

  /** Restores an item unless that was done already. Failures are written down, not thrown; only the signal ends it. */
  async restore(ordinal: number, signal: AbortSignal): Promise<void> {
    const running = this.#running.get(ordinal);
    if (running !== undefined) return running;
    if (this.#met[ordinal] !== 0) return;
    this.#met[ordinal] = 1;
    const work = this.#work(ordinal, signal);
    this.#running.set(ordinal, work);
    try {
      await work;
    } finally {
      this.#running.delete(ordinal);
    }
  }

  /** Whether nothing is left to do about an item of a type once it is there. */
  isDoneWhenThere(groupResource: string): boolean {
    const probe: Item = { apiVersion: "v1", kind: "", metadata: { name: "" } };
    if (groupResource === "pods" || groupResource.startsWith("customresourcedefinitions.")) return false;
    return !this.#context.restoresStatus(groupResource, probe);
  }

  /** Takes an item for restored: an earlier process of this restore has made it. */
  found(ordinal: number, kind: string): void {
    const { spool, tally, outcomes } = this.#context;
    if (this.#met[ordinal] !== 0) return;
    this.#met[ordinal] = 2;
    if (spool.isSelected(ordinal)) tally.take();
    tally.record();
    tally.finish();
    outcomes.set(ordinal, kind, "created");
  }

  /** Objects of the pass so far that somebody must wait for; taking them empties the list. */
  takeCreated(): readonly Item[] {
    return this.#created.splice(0);
  }

  async #work(ordinal: number, signal: AbortSignal): Promise<void> {
    const { spool, tally, log, outcomes, filters } = this.#context;
    const { groupResource, namespace } = spool.groupOf(ordinal);
    const name = spool.nameOf(ordinal);
    if (spool.isSelected(ordinal)) tally.take();
    const place = findingPlace(filters.target(namespace));
    let kind = "";
    let recorded = false;
    let ended: Ended = { outcome: "failed" };
    try {
      const item = await this.#read(ordinal, namespace, name);
      kind = `${item.apiVersion}/${item.kind}`;
      if (isFinished(groupResource, item)) {
        log.info(`${title(item)} in namespace "${namespace}" has ended and is left out`);
        ended = { outcome: "skipped", reason: "it has ended" };
        return;
      }
      tally.record();
      recorded = true;
      this.#context.present(`${groupResource} ${namespace === "" ? "" : `${namespace}/`}${name}`);
      ended = await this.#bring(ordinal, item, { groupResource, namespace }, signal);
    } catch (error) {
      signal.throwIfAborted();
      ended = { outcome: "failed", reason: messageOf(error), error };
      log.fail(place, `${groupResource} "${name}": ${messageOf(error)}`);
      if (!recorded) tally.record();
      recorded = true;
    } finally {
      if (recorded && !signal.aborted) {
        if (kind !== "") outcomes.set(ordinal, kind, ended.outcome);
        tally.finish();
      }
      if (!signal.aborted) this.#context.ended?.(ordinal, ended);
      this.#context.moved();
    }
  }

  async #read(ordinal: number, namespace: string, name: string): Promise<Item> {
    const item = parseItem(await this.#context.spool.read(ordinal), { namespace, name });
    if (typeof item === "string") throw new Error(item); // it was read the same way before it was spooled
    return item;
  }

  async #bring(
    ordinal: number,
    item: Item,
    { groupResource: type, namespace }: Pick<SpoolKey, "groupResource" | "namespace">,
    signal: AbortSignal,
  ): Promise<Ended> {
    const { filters, operations } = this.#context;
    const target = filters.target(namespace);
    const needy = { ordinal, item, target };
    for (const key of companionsOf(type, item, namespace))
      if (filters.admits(key.groupResource, key.namespace, key.name)) await this.#needed(key, needy, signal);
    for (const key of operations.needs(type, item)) await this.#needed(key, needy, signal);
    const decided = type === "persistentvolumes" ? await this.#volumes.decide(item, signal) : { item };
    if ("outcome" in decided) return decided;
    const acted = act(type, reset(decided.item), this.#actionContext(namespace));
    if ("skip" in acted) return this.#leaveOut(item, namespace, acted.skip);
    const changed = await this.#changed(
      ordinal,
      { groupResource: type, archived: item, item: acted.item, target },
      signal,
    );
    if ("skip" in changed) return this.#leaveOut(item, namespace, changed.skip);
    const modified = this.#context.modify(type, changed.item);
    const way = { groupResource: type, archived: item, item: placed(modified, target), target };
    const acts = await operations.act(way, signal);
    const outcome = acts ?? (isNeverAsItIs(type) ? { skip: "nothing here restores snapshots" } : way);
    if ("skip" in outcome) return this.#leaveOut(item, namespace, outcome.skip);
    const ready = labelled(outcome.item, this.#context.put.labels);
    const put =
      type === "pods"
        ? await this.#putPod(ready, namespace, item, signal)
        : await this.#put(ready, type, item, target, signal);
    this.#met[ordinal] = 2;
    return put;
  }

  #leaveOut(item: Item, namespace: string, reason: string): Ended {
    this.#context.log.info(`${title(item)} in namespace "${namespace}" is left out: ${reason}`);
    return { outcome: "skipped", reason };
  }

  /** What plugins make of an item, with the items that they name brought in before it. */
  async #changed(ordinal: number, given: ItemForActions, signal: AbortSignal): Promise<ItemOutcome> {
    const { plugins, spool, filters, log } = this.#context;
    if (!plugins?.wants(given.groupResource)) return given;
    const bring = async ({ group, resource, namespace, name }: NamedItem): Promise<boolean> => {
      const groupResource = group === "" ? resource : `${resource}.${group}`;
      if (!filters.admits(groupResource, namespace, name)) return false;
      const other = spool.find({ groupResource, namespace, name });
      if (other === undefined) {
        const words = `${title(given.item)}: a plugin names ${groupResource} "${name}", which is not in the backup`;
        log.warn(findingPlace(given.target), words);
        return false;
      }
      await this.#after(ordinal, other, signal);
      return this.#met[other] === 2;
    };
    return plugins.change(given, bring, signal);
  }

  /** Restores an item that another one waits for, unless that waits for the first: two that name each other both go on. */
  async #after(waiter: number, other: number, signal: AbortSignal): Promise<void> {
    for (let next: number | undefined = other; next !== undefined; next = this.#waits.get(next))
      if (next === waiter) return;
    this.#waits.set(waiter, other);
    try {
      await this.restore(other, signal);
    } finally {
      this.#waits.delete(waiter);
    }
  }

  async #needed(
    key: SpoolKey,
    { ordinal, item, target }: { readonly ordinal: number; readonly item: Item; readonly target: string },
    signal: AbortSignal,
  ): Promise<void> {
    const { spool, log } = this.#context;
    const other = spool.find(key);
    if (other !== undefined) return this.#after(ordinal, other, signal);
    log.warn(
      findingPlace(target),
      `${title(item)} needs ${key.groupResource} "${key.name}", which is not in the backup`,
    );
  }

  #actionContext(namespace: string): ActionContext {
    const { spool, filters, actions } = this.#context;
    return {
      ...actions,
      namespace,
      target: (name) => filters.target(name),
      restoredVolume: (volume) => this.#volumes.restored(volume),
      hasAccount: (name) => spool.find({ groupResource: "serviceaccounts", namespace, name }) !== undefined,
    };
  }

  async #putPod(pod: Item, namespace: string, archived: Item, signal: AbortSignal): Promise<Ended> {
    const { volumes, restore, filters, log } = this.#context;
    const target = filters.target(namespace);
    const hooked = this.#context.hook?.(pod, namespace) ?? pod;
    const backups = this.#context.volumeBackups(namespace, pod.metadata.name);
    if (backups.length === 0) return this.#put(hooked, "pods", archived, target, signal);
    if (volumes === undefined) {
      log.warn(
        findingPlace(target),
        `${title(pod)}: the content of ${backups.length} volumes is not restored, volume restores are not wired`,
      );
      return this.#put(hooked, "pods", archived, target, signal);
    }
    const whole: PodWithVolumes = { restore, pod: hooked, sourceNamespace: namespace, backups };
    const prepared = await volumes.prepare(whole, signal);
    return this.#put(prepared, "pods", archived, target, signal, async (object) => {
      this.#context.facts.pod(object, backups);
      await volumes.start({ ...whole, pod: prepared }, textOf(object.metadata["uid"]), signal);
    });
  }

  async #put(
    item: Item,
    type: string,
    archived: Item,
    target: string,
    signal: AbortSignal,
    after?: (object: Item) => Promise<void>,
  ): Promise<Ended> {
    const { served, log } = this.#context;
    const resource = served.find(item);
    if (resource === undefined) {
      throw new Error(`the cluster does not serve ${item.kind} of ${item.apiVersion}`);
    }
    const { outcome, object, warning, differs } = await put(item, resource, this.#context.put, signal);
    if (warning !== undefined) log.warn(findingPlace(target), warning);
    const ended = {
      outcome,
      ...(warning !== undefined && { reason: warning }),
      ...(differs && { differs }),
      ...(object && { object }),
    };
    if (object === undefined || outcome !== "created") return ended;
    if (archived["status"] !== undefined && this.#context.restoresStatus(type, archived)) {
      const fault = await putStatus(object, archived["status"], resource, this.#context.put, signal);
      if (fault !== undefined) log.warn(findingPlace(target), fault);
    }
    if (item.kind === "CustomResourceDefinition") this.#created.push(object);
    await after?.(object);
    if (type === "pods") {
      this.#context.facts.use(object);
      this.#context.created?.(object, archived.metadata.namespace ?? "");
    }
    return ended;
  }
}
