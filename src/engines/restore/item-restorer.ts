import type { PodVolumeBackup, Restore } from "../../api/index.ts";
import { type Item, parseItem } from "./archive/item-json.ts";
import type { Spool, SpoolKey } from "./archive/spool.ts";
import type { Filters } from "./choice.ts";
import { placeOf } from "./findings.ts";
import { textOf } from "./json.ts";
import type { Outcome, Outcomes } from "./outcomes.ts";
import type { Tally } from "./progress.ts";
import { type PutContext, put, putStatus, title } from "./put.ts";
import type { RestoredVolumes } from "./restored-volumes.ts";
import type { RunLog } from "./run-log.ts";
import type { Served } from "./served.ts";
import type { SnapshotRestores } from "./snapshots.ts";
import { type ActionContext, act, companionsOf, isFinished } from "./transform/actions.ts";
import { labelled, placed, reset } from "./transform/reset.ts";
import { freeVolume, renamedVolume, type VolumeMethod, volumeDecision } from "./transform/volumes.ts";
import { volumePlace } from "./volume-place.ts";
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
  /** How long a volume that is on its way out is waited for. */
  readonly terminatingTimeoutMs: number;
  /** Writes down what became of volumes. */
  readonly facts: RestoredVolumes;
  /** Told which item is being worked on. */
  present(text: string): void;
  /** Told when a number changed. */
  moved(): void;
}

/** Brings single items from the spool into the cluster, each once, with those that they need. */
export class ItemRestorer {
  readonly #context: ItemContext;
  /** 1: met. Grows with the spool's number of items, one byte each. */
  readonly #met: Uint8Array;
  /** Items under way, for those that need them; bounded by the items worked on at a time. */
  readonly #running = new Map<number, Promise<void>>();
  /** Persistent volumes that come back under another name; bounded by the volumes of the archive. */
  readonly #renamed = new Map<string, string>();
  readonly #created: Item[] = [];

  constructor(context: ItemContext) {
    this.#context = context;
    this.#met = new Uint8Array(context.spool.size);
  }

  /** Restores an item unless that was done already. Failures are written down, not thrown; only the signal ends it. */
  async restore(ordinal: number, signal: AbortSignal): Promise<void> {
    const running = this.#running.get(ordinal);
    if (running !== undefined) return running;
    if (this.#met[ordinal] === 1) return;
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
    if (this.#met[ordinal] === 1) return;
    this.#met[ordinal] = 1;
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
    const place = placeOf(filters.target(namespace));
    let kind = "";
    let recorded = false;
    let outcome: Outcome = "failed";
    try {
      const item = await this.#read(ordinal, namespace, name);
      kind = `${item.apiVersion}/${item.kind}`;
      if (isFinished(groupResource, item)) {
        log.info(`${title(item)} in namespace "${namespace}" has ended and is left out`);
        return;
      }
      tally.record();
      recorded = true;
      this.#context.present(`${groupResource} ${namespace === "" ? "" : `${namespace}/`}${name}`);
      outcome = await this.#bring(item, groupResource, namespace, signal);
    } catch (error) {
      signal.throwIfAborted();
      log.fail(
        place,
        `${groupResource} "${name}": ${error instanceof Error ? error.message : String(error)}`,
      );
      if (!recorded) tally.record();
      recorded = true;
    } finally {
      if (recorded && !signal.aborted) {
        if (kind !== "") outcomes.set(ordinal, kind, outcome);
        tally.finish();
      }
      this.#context.moved();
    }
  }

  async #read(ordinal: number, namespace: string, name: string): Promise<Item> {
    const item = parseItem(await this.#context.spool.read(ordinal), { namespace, name });
    if (typeof item === "string") throw new Error(item); // it was read the same way before it was spooled
    return item;
  }

  async #bring(item: Item, type: string, namespace: string, signal: AbortSignal): Promise<Outcome> {
    const { filters, log } = this.#context;
    const target = filters.target(namespace);
    await this.#companions(companionsOf(type, item, namespace), item, target, signal);
    const decided = type === "persistentvolumes" ? await this.#decideVolume(item, signal) : item;
    if (typeof decided === "string") return decided;
    const acted = act(type, reset(decided), this.#actionContext(namespace));
    if ("skip" in acted) {
      log.info(`${title(item)} in namespace "${namespace}" is left out: ${acted.skip}`);
      return "skipped";
    }
    const modified = this.#context.modify(type, acted.item);
    const ready = labelled(placed(modified, target), this.#context.put.labels);
    return type === "pods"
      ? this.#putPod(ready, namespace, item, signal)
      : this.#put(ready, type, item, target, signal);
  }

  async #companions(
    keys: readonly SpoolKey[],
    item: Item,
    target: string,
    signal: AbortSignal,
  ): Promise<void> {
    const { spool, filters, log } = this.#context;
    for (const key of keys) {
      if (!filters.admits(key.groupResource, key.namespace)) continue;
      const ordinal = spool.find(key);
      if (ordinal === undefined) {
        log.warn(
          placeOf(target),
          `${title(item)} needs ${key.groupResource} "${key.name}", which is not in the backup`,
        );
      } else {
        await this.restore(ordinal, signal);
      }
    }
  }

  /** The volume as it is to be created, or how it ends without being created. */
  async #decideVolume(volume: Item, signal: AbortSignal): Promise<Item | Outcome> {
    const { filters, log, snapshots } = this.#context;
    const method = this.#context.volumeMethod(volume);
    const decision = volumeDecision(volume, method, this.#context.restorePVs);
    switch (decision.do) {
      case "create":
        return freeVolume(volume, (namespace) => filters.target(namespace));
      case "provision":
        this.#context.facts.provision(volume.metadata.name);
        log.info(`${title(volume)} is left out: its claim gets a new volume`);
        if (method === "CSISnapshot") {
          log.warn(
            "cluster",
            `the content of ${title(volume)} is in a CSI snapshot or was moved by a data mover, which this restore cannot use; its claim gets an empty volume`,
          );
        }
        return "skipped";
      case "snapshot":
        if (snapshots?.has(volume.metadata.name)) return this.#fromSnapshot(volume, snapshots, signal);
        this.#context.facts.provision(volume.metadata.name);
        log.fail(
          "cluster",
          `${title(volume)} has a snapshot that this restore cannot use: no snapshotter is wired; its claim gets an empty volume`,
        );
        return "failed";
    }
  }

  /** A claim whose volume cannot be made waits for it: an application must not start on an empty one. */
  async #fromSnapshot(
    volume: Item,
    snapshots: SnapshotRestores,
    signal: AbortSignal,
  ): Promise<Item | Outcome> {
    const { filters, log, restore, put: context, terminatingTimeoutMs } = this.#context;
    const target = (namespace: string) => filters.target(namespace);
    const { name } = volume.metadata;
    const place = await volumePlace(
      volume,
      { ...context, target, limitMs: terminatingTimeoutMs, restoreUid: restore.metadata.uid ?? "" },
      signal,
    );
    if (place === "taken") {
      log.info(`${title(volume)} is there already and is kept; its snapshot is not restored`);
      return "skipped";
    }
    const made = await snapshots.make(freeVolume(volume, target), signal);
    const whole = place === "free" ? made : renamedVolume(made, place.rename);
    if (whole.metadata.name !== name) this.#renamed.set(name, whole.metadata.name);
    this.#context.facts.native(name, whole);
    return whole;
  }

  #actionContext(namespace: string): ActionContext {
    const { spool, filters, actions } = this.#context;
    return {
      ...actions,
      namespace,
      target: (name) => filters.target(name),
      restoredVolume: (volume) =>
        this.#context.facts.isProvisioned(volume) ? undefined : (this.#renamed.get(volume) ?? volume),
      hasAccount: (name) => spool.find({ groupResource: "serviceaccounts", namespace, name }) !== undefined,
    };
  }

  async #putPod(pod: Item, namespace: string, archived: Item, signal: AbortSignal): Promise<Outcome> {
    const { volumes, restore, filters, log } = this.#context;
    const target = filters.target(namespace);
    const hooked = this.#context.hook?.(pod, namespace) ?? pod;
    const backups = this.#context.volumeBackups(namespace, pod.metadata.name);
    if (backups.length === 0) return this.#put(hooked, "pods", archived, target, signal);
    if (volumes === undefined) {
      log.warn(
        placeOf(target),
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
  ): Promise<Outcome> {
    const { served, log } = this.#context;
    const resource = served.find(item);
    if (resource === undefined) {
      throw new Error(`the cluster does not serve ${item.kind} of ${item.apiVersion}`);
    }
    const { outcome, object, warning } = await put(item, resource, this.#context.put, signal);
    if (warning !== undefined) log.warn(placeOf(target), warning);
    if (object === undefined || outcome !== "created") return outcome;
    if (archived["status"] !== undefined && this.#context.restoresStatus(type, archived)) {
      const fault = await putStatus(object, archived["status"], resource, this.#context.put, signal);
      if (fault !== undefined) log.warn(placeOf(target), fault);
    }
    if (item.kind === "CustomResourceDefinition") this.#created.push(object);
    await after?.(object);
    if (type === "pods") {
      this.#context.facts.use(object);
      this.#context.created?.(object, archived.metadata.namespace ?? "");
    }
    return outcome;
  }
}
