import { type IncludeExclude, passes, veleroNames } from "../../api/index.ts";
import { messageOf } from "../../errors.ts";
import { findResource, isNotFound, withKind } from "../../kube/index.ts";
import { ActedItems } from "./acted-items.ts";
import type { CollectOptions } from "./collect-options.ts";
import type { CountedJob } from "./count.ts";
import { listsType, refusesCompanion, typeName } from "./filters.ts";
import { finalItems } from "./final-items.ts";
import { Inventory } from "./inventory.ts";
import type { NamedItem } from "./item-actions.ts";
import { type BlockItem, gatherBlock } from "./item-block.ts";
import { ItemChoice, ofList } from "./item-choice.ts";
import { ItemCount } from "./item-count.ts";
import { countListed, type ListPlaces, listJobs } from "./list-jobs.ts";
import { idlePatterns, keepsNamespace, missingNamespaces, type NamespaceFacts } from "./namespaces.ts";
import type { PodStep } from "./pod-items.ts";
import { readAhead } from "./read-ahead.ts";
import { readBindings } from "./read-bindings.ts";
import type { Bindings, Related } from "./related.ts";
import { fetchOne, type Item, kindKey, type ResourceType, readItem } from "./source.ts";
import { isFatal } from "./trouble.ts";
import { typesInOrder, wantedOrder } from "./type-order.ts";
import { VolumeItems } from "./volume-items.ts";
import type { PodItem } from "./volumes.ts";

const needed = { missing: "is needed by another item and does not exist" };

/** Walks the cluster and puts into the archive what the backup asks for. Holds a few pages of it at a time. */
export class Collector {
  readonly inventory = new Inventory();
  readonly count = new ItemCount();
  /** Claims and volumes, and who keeps their data. */
  readonly held: VolumeItems;
  readonly #options: CollectOptions;
  readonly #byName: ReadonlyMap<string, ResourceType>;
  readonly #choice: ItemChoice;
  readonly #pair: IncludeExclude;
  #bindings: Bindings | undefined;
  #acted: ActedItems | undefined;

  constructor(options: CollectOptions) {
    this.#options = options;
    this.#byName = new Map(options.served.filter((t) => t.preferred).map((type) => [typeName(type), type]));
    this.#pair = options.filters.namespaces;
    this.held = new VolumeItems(options, {
      write: (type, raw, metadata) => this.#write(type, raw, metadata),
      hold: () => this.count.stored(),
      writeHeld: (type, raw, metadata) => this.#writeHeld(type, raw, metadata),
      lose: (type, metadata) => this.#lose(type, metadata),
      companion: (related, signal) => this.companion(related, signal),
      typeOf: (name) => this.#byName.get(name),
    });
    this.#choice = new ItemChoice(options.filters, options.backup.spec ?? {});
  }

  /** Collects everything. Throws when the archive fails or the signal fires; what the cluster refuses is an error found. */
  async run(signal: AbortSignal): Promise<void> {
    const { served, filters, actions } = this.#options;
    if (actions) this.#acted = new ActedItems(actions, this.#actedWalk(signal), signal);
    const types = typesInOrder(served).filter((type) => listsType(filters, type));
    this.#tellOddNamespaces();
    const jobs = types
      .filter((t) => typeName(t) !== "namespaces")
      .flatMap((type) => listJobs(type, this.#places()));
    const [counted] = await Promise.all([
      countListed(jobs, this.#places(), signal),
      this.#options.onListed(jobs),
    ]);
    const namespaceType = types.find((type) => typeName(type) === "namespaces");
    const early = namespaceType ? this.#options.namespaces.filter((ns) => this.#keeps(ns, false)) : [];
    this.count.counted(counted.reduce((sum, job) => sum + job.count, 0) + early.length);
    this.#options.onCounted();
    await this.#ordered(types, signal);
    await this.#lists(counted, signal);
    if (namespaceType) await this.#namespaceObjects(namespaceType, early.length, signal);
    await this.#definitions(signal);
  }

  /** Brings in an item that another one needs, if the filters let it. */
  async companion(related: Related, signal: AbortSignal): Promise<void> {
    const type = this.#byName.get(typeName(related));
    if (!type || !this.#choice.letsIn(type, related)) return;
    if (this.inventory.has(kindKey(type), related.namespace, related.name)) return;
    await this.#fetchAndStore(type, related, needed, signal);
  }

  async #fetchAndStore(
    type: ResourceType,
    place: Related,
    { missing, wants }: { readonly missing: string; readonly wants?: (item: Item) => boolean },
    signal: AbortSignal,
  ): Promise<void> {
    const subject = { resource: typeName(type), namespace: place.namespace, name: place.name };
    try {
      const raw = await fetchOne(this.#options.source, type, place, signal);
      if (raw === undefined) this.#options.warnings.add(subject, missing);
      else if (wants?.(readItem(raw)) ?? true) await this.#store(type, raw, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (isFatal(error)) throw error;
      this.#options.errors.add(subject, "cannot read the item", messageOf(error));
      this.count.lost();
    }
  }

  #tellOddNamespaces(): void {
    const { namespaces, errors, warnings } = this.#options;
    for (const name of missingNamespaces(this.#pair, namespaces)) {
      errors.add({ resource: "namespaces", name }, "the namespace does not exist");
    }
    for (const pattern of idlePatterns(this.#pair, namespaces)) {
      warnings.add({ resource: "namespaces", name: pattern }, "the pattern matches no namespace");
    }
  }

  /** Items that the backup names in an order come first; the lists meet them again and pass over them. */
  async #ordered(types: readonly ResourceType[], signal: AbortSignal): Promise<void> {
    const { backup } = this.#options;
    for (const type of types) {
      for (const place of wantedOrder(backup.spec?.orderedResources, type)) {
        if (type.namespaced && !passes(this.#pair, place.namespace ?? "")) continue;
        const { group, plural } = type;
        const ordered = {
          missing: "is ordered and does not exist",
          wants: ({ metadata }: Item) => this.#choice.wants(type, metadata),
        };
        await this.#fetchAndStore(type, { group, plural, ...place }, ordered, signal);
      }
    }
  }

  async #lists(jobs: readonly CountedJob[], signal: AbortSignal): Promise<void> {
    const { source, errors, onMove, filters } = this.#options;
    const open = ({ type, namespace, labelSelector }: CountedJob) =>
      source.rawPages(type, { namespace, labelSelector, first: 100 }, signal);
    let present: CountedJob | undefined;
    for await (const step of readAhead(jobs, open)) {
      const { job } = step;
      if (present !== job) this.count.begin(job.count);
      present = job;
      if ("error" in step) {
        signal.throwIfAborted();
        if (isFatal(step.error)) throw step.error;
        const { namespace } = job;
        // A type whose definition was deleted while we walked has no objects left to miss.
        if (!isNotFound(step.error)) {
          errors.add({ resource: typeName(job.type), namespace }, "cannot list", messageOf(step.error));
        }
        this.count.end();
      } else if ("end" in step) this.count.end();
      else {
        const items = ofList(filters, job, step.page.items);
        const last = await this.#page(job.type, items, signal);
        // What the server has left of the list is not what the rules leave of it.
        this.count.visited(items.length, filters.rules ? undefined : step.page.remaining);
        onMove(last);
      }
    }
  }

  async #page(type: ResourceType, items: readonly Buffer[], signal: AbortSignal): Promise<string> {
    // Items that others belong to are stored in their order, so that each finds what it needs.
    if (this.#acted?.wants(type) && !this.#special[typeName(type)])
      await this.#acted.page(items, (raw) => this.#store(type, raw, signal));
    else
      for (const raw of items) {
        const wait = this.#store(type, raw, signal);
        if (wait) await wait;
      }
    signal.throwIfAborted();
    const last = items.at(-1);
    const meta = last ? readItem(last).metadata : undefined;
    return `${typeName(type)} ${meta?.namespace ? `${meta.namespace}/` : ""}${meta?.name ?? ""}`;
  }

  /** Stores an item unless it asks to stay out or is there already; a promise only when the caller should wait. */
  #store(type: ResourceType, raw: Buffer, signal: AbortSignal): Promise<void> | undefined {
    const item = readItem(raw);
    if (!this.#takes(type, item)) {
      this.#acted?.passOver(type, item.metadata);
      return undefined;
    }
    const isInBlock = this.#options.actions?.wantsBlocks(typeName(type));
    return isInBlock ? this.#block({ type, raw, item }, signal) : this.#keep({ type, raw, item }, signal);
  }

  #keep({ type, raw, item }: BlockItem, signal: AbortSignal): Promise<void> | undefined {
    const special = this.#special[typeName(type)];
    return special ? special(type, raw, item, signal) : this.#write(type, raw, item.metadata);
  }

  /** Whether an item belongs in and is not there yet; from now on it is. */
  #takes(type: ResourceType, { metadata }: Item): boolean {
    const { name, namespace, labels, deletionTimestamp } = metadata;
    if (namespace !== undefined && !passes(this.#pair, namespace)) return false;
    if (labels?.[veleroNames.excludeFromBackup] === "true" || deletionTimestamp) return false;
    return this.inventory.add(kindKey(type), namespace, name);
  }

  readonly #special: Readonly<
    Record<string, (type: ResourceType, raw: Buffer, item: Item, signal: AbortSignal) => Promise<void>>
  > = {
    pods: (type, raw, item, signal) => this.#pod(type, raw, item, signal),
    persistentvolumeclaims: (type, raw, item, signal) => this.held.claim(type, raw, item, signal),
    persistentvolumes: (type, raw, item, signal) => this.held.volume(type, raw, item, signal),
    serviceaccounts: (type, raw, item, signal) => this.#account(type, raw, item, signal),
  };

  #write(type: ResourceType, raw: Uint8Array, metadata: Item["metadata"]): Promise<void> | undefined {
    const acted = this.#acted?.store(type, this.#json(type, raw), metadata);
    if (acted) return acted.then((isStored) => (isStored ? this.count.stored() : undefined));
    const wait = this.#archive(type, raw, metadata);
    this.count.stored();
    return wait;
  }

  async #writeHeld(type: ResourceType, raw: Uint8Array, metadata: Item["metadata"]): Promise<void> {
    const acted = this.#acted?.store(type, this.#json(type, raw), metadata);
    await (acted ?? this.#archive(type, raw, metadata));
  }

  #json(type: ResourceType, raw: Uint8Array): Uint8Array {
    return Buffer.isBuffer(raw) ? withKind(raw, type) : raw;
  }

  #archive(
    type: ResourceType,
    raw: Uint8Array,
    { name, namespace }: Item["metadata"],
  ): Promise<void> | undefined {
    const { group, plural, version } = type;
    const place = { group, plural, version, namespace, name };
    return this.#options.archive.add(place, this.#json(type, raw));
  }

  #lose(type: ResourceType, { namespace, name }: Pick<PodItem["metadata"], "namespace" | "name">): void {
    this.inventory.remove(kindKey(type), namespace, name);
    this.count.lost();
  }

  async #pod(type: ResourceType, raw: Buffer, item: Item, signal: AbortSignal): Promise<void> {
    await this.#pods([{ type, raw, item }], signal);
  }

  async #pods(block: readonly BlockItem[], signal: AbortSignal, beside?: () => Promise<void>): Promise<void> {
    const { blocks, pods, onMove } = this.#options;
    const step = ({ type, raw, item }: BlockItem): PodStep => ({
      pod: item as unknown as PodItem, // the API server checked its shape
      store: async () => {
        await this.#write(type, raw, item.metadata);
        for (const related of pods.needs(item)) await this.companion(related, signal);
      },
    });
    const steps: PodStep[] = [];
    for (const one of block) {
      onMove(`pods ${one.item.metadata.namespace}/${one.item.metadata.name}`);
      steps.push(step(one));
      for (const raw of await blocks.mates(one.type, one.item, signal)) {
        const item = readItem(raw);
        if (this.#choice.wants(one.type, item.metadata) && this.#takes(one.type, item))
          steps.push(step({ ...one, raw, item }));
      }
    }
    const [type] = block.map((one) => one.type);
    for (const { metadata } of await pods.around(steps, signal, beside)) if (type) this.#lose(type, metadata);
  }

  /** Stores an item with all that plugins say belongs to it: the hooks of its pods run around all of them. */
  async #block(first: BlockItem, signal: AbortSignal): Promise<void> {
    const { source, errors, filters, actions } = this.#options;
    if (!actions) return;
    const takes = (type: ResourceType, item: Item) =>
      listsType(filters, type) && this.#choice.wants(type, item.metadata) && this.#takes(type, item);
    const typeOf = (item: NamedItem) => this.#typeOf(item);
    const block = await gatherBlock(first, actions, { source, errors, typeOf, takes }, signal);
    const isPod = ({ type }: BlockItem) => typeName(type) === "pods";
    const others = async () => {
      for (const one of block) if (!isPod(one)) await this.#keep(one, signal);
    };
    const pods = block.filter(isPod);
    await (pods.length > 0 ? this.#pods(pods, signal, others) : others());
  }

  /** What actions need of the walk. */
  #actedWalk(signal: AbortSignal) {
    const { archive, errors, info } = this.#options;
    return {
      inventory: this.inventory,
      errors,
      info,
      archive: archive.add.bind(archive),
      typeOf: (item: NamedItem) => this.#typeOf(item),
      bring: (type: ResourceType, item: NamedItem, must: boolean) => this.#bring(type, item, must, signal),
      lose: (type: ResourceType, metadata: Item["metadata"]) => this.#lose(type, metadata),
    };
  }

  #places(): ListPlaces {
    const { source, namespaces } = this.#options;
    return { source, namespaces, pair: this.#pair, choice: this.#choice };
  }

  #typeOf({ group, resource }: NamedItem): ResourceType | undefined {
    return findResource(this.#options.served, group === "" ? resource : `${resource}.${group}`);
  }

  /** Brings in an item that a plugin names. What goes wrong is thrown: the item that needs it is not stored either. */
  async #bring(type: ResourceType, named: NamedItem, must: boolean, signal: AbortSignal): Promise<void> {
    const { source, warnings } = this.#options;
    const namespace = named.namespace === "" ? undefined : named.namespace;
    if (!must && !this.#choice.letsIn(type, { namespace, name: named.name })) return;
    if (this.inventory.has(kindKey(type), namespace, named.name)) return;
    const raw = await fetchOne(source, type, { namespace, name: named.name }, signal);
    if (raw === undefined) {
      const subject = { resource: typeName(type), namespace, name: named.name };
      warnings.add(subject, needed.missing);
      return;
    }
    const item = readItem(raw);
    const isNew = must ? this.inventory.add(kindKey(type), namespace, named.name) : this.#takes(type, item);
    if (isNew) await this.#keep({ type, raw, item }, signal);
  }

  /** Stores what could be stored only when all operations had ended: claims with their snapshots, and items as they are now. */
  async late(items: readonly Related[], signal: AbortSignal): Promise<void> {
    await this.held.writeHeld();
    for (const related of items) {
      // A type may be served in a version alone that is not its group's preferred one, as DataUploads are.
      const name = typeName(related);
      const type = this.#byName.get(name) ?? this.#options.served.find((one) => typeName(one) === name);
      if (!type || this.inventory.has(kindKey(type), related.namespace, related.name)) continue;
      const place = { resource: name, namespace: related.namespace, name: related.name };
      const raw = await fetchOne(this.#options.source, type, related, signal);
      if (raw === undefined) this.#options.warnings.add(place, "belongs to another item and is gone");
      else if (this.inventory.add(kindKey(type), related.namespace, related.name))
        await this.#write(type, raw, readItem(raw).metadata);
    }
  }

  /** Items that plugins want read again when their operations have ended, in place of what is stored of them. */
  async final(signal: AbortSignal): Promise<void> {
    const { actions, archive, source, errors } = this.#options;
    const items = actions?.finalItems() ?? [];
    if (!this.#acted || items.length === 0) return;
    const typeOf = (item: NamedItem) => this.#typeOf(item);
    const given = { source, errors, typeOf, acted: this.#acted, inventory: this.inventory };
    await archive.replace(await finalItems(items, given, signal));
  }

  async #account(type: ResourceType, raw: Buffer, item: Item, signal: AbortSignal): Promise<void> {
    await this.#write(type, raw, item.metadata);
    const bindings = "clusterrolebindings.rbac.authorization.k8s.io";
    this.#bindings ??= await readBindings(this.#options, this.#byName.get(bindings), signal);
    const { namespace = "", name } = item.metadata;
    for (const related of this.#bindings.needs(namespace, name)) await this.companion(related, signal);
  }

  #keeps(facts: NamespaceFacts, holds: boolean): boolean {
    return this.#choice.keeps(facts) && keepsNamespace(this.#pair, this.#choice.selectors, facts, holds);
  }

  async #namespaceObjects(type: ResourceType, promised: number, signal: AbortSignal): Promise<void> {
    this.count.begin(promised);
    for (const facts of this.#options.namespaces) {
      if (!this.#keeps(facts, this.inventory.holds(facts.name))) continue;
      const place = { group: "", plural: "namespaces", name: facts.name };
      await this.#fetchAndStore(type, place, { missing: "was deleted while the backup ran" }, signal);
      this.count.visited(1, undefined);
    }
    this.count.end();
  }

  /** The definitions of custom resources come along, unless they are listed anyway or excluded. */
  async #definitions(signal: AbortSignal): Promise<void> {
    const { filters, served } = this.#options;
    const type = this.#byName.get("customresourcedefinitions.apiextensions.k8s.io");
    if (!type || listsType(filters, type) || refusesCompanion(filters, type)) return;
    const used = served.filter(
      (one) => one.preferred && one.group.includes(".") && this.inventory.hasKind(kindKey(one)),
    );
    for (const one of used) {
      const place = { name: typeName(one) };
      if (!this.#choice.allowsName(type, place)) continue;
      const raw = await fetchOne(this.#options.source, type, place, signal).catch((error: unknown) => {
        signal.throwIfAborted();
        if (isFatal(error)) throw error;
        this.#options.errors.add(
          { resource: typeName(type), ...place },
          "cannot read the definition",
          messageOf(error),
        );
        return undefined;
      });
      // Groups that are built in have no definition.
      if (raw !== undefined) await this.#store(type, raw, signal);
    }
  }
}
