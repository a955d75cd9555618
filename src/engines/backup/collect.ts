import {
  claimedVolumeFacts,
  type IncludeExclude,
  type LabelSelector,
  passes,
  selectorQuery,
  selects,
  type VolumeFacts,
  veleroNames,
} from "../../api/index.ts";
import { isNotFound, withKind } from "../../kube/index.ts";
import type { CollectOptions } from "./collect-options.ts";
import { type CountedJob, countJobs } from "./count.ts";
import { listsType, refusesCompanion, typeName } from "./filters.ts";
import { Inventory } from "./inventory.ts";
import { ItemCount } from "./item-count.ts";
import {
  idlePatterns,
  keepsNamespace,
  missingNamespaces,
  type NamespaceFacts,
  type Scope,
  scopeOf,
} from "./namespaces.ts";
import type { PodStep } from "./pod-items.ts";
import { readAhead } from "./read-ahead.ts";
import { Bindings, claimNeeds, type Related, storedClaim } from "./related.ts";
import { snapshotRefusal } from "./snapshot-choice.ts";
import type { Taken } from "./snapshots.ts";
import { fetchOne, type Item, kindKey, type ListJob, type ResourceType, readItem } from "./source.ts";
import { isFatal, words } from "./trouble.ts";
import { typesInOrder, wantedOrder } from "./type-order.ts";
import { type VolumeSeen, volumeSeen } from "./volume-info.ts";
import type { PodItem } from "./volumes.ts";

/** Walks the cluster and puts into the archive what the backup asks for. Holds a few pages of it at a time. */
export class Collector {
  readonly inventory = new Inventory();
  readonly count = new ItemCount();
  /** The PersistentVolumes that were stored, for the volume infos; a short record each. */
  readonly volumes: VolumeSeen[] = [];
  readonly #options: CollectOptions;
  readonly #byName: ReadonlyMap<string, ResourceType>;
  readonly #selectors: readonly LabelSelector[];
  readonly #pair: IncludeExclude;
  #bindings: Bindings | undefined;

  constructor(options: CollectOptions) {
    this.#options = options;
    this.#byName = new Map(options.served.filter((t) => t.preferred).map((type) => [typeName(type), type]));
    this.#pair = options.filters.namespaces;
    const { labelSelector, orLabelSelectors } = options.backup.spec ?? {};
    this.#selectors = labelSelector ? [labelSelector] : (orLabelSelectors ?? []);
  }

  /** Collects everything. Throws when the archive fails or the signal fires; what the cluster refuses is an error found. */
  async run(signal: AbortSignal): Promise<void> {
    const { served, filters } = this.#options;
    const types = typesInOrder(served).filter((type) => listsType(filters, type));
    this.#tellOddNamespaces();
    const jobs = types.filter((t) => typeName(t) !== "namespaces").flatMap((type) => this.#jobs(type));
    const counted = await this.#counted(jobs, signal);
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
    if (!type || !this.#letsIn(type, related.namespace)) return;
    if (this.inventory.has(kindKey(type), related.namespace, related.name)) return;
    await this.#fetchAndStore(type, related, "is needed by another item and does not exist", signal);
  }

  #letsIn(type: ResourceType, namespace: string | undefined): boolean {
    const { filters } = this.#options;
    if (namespace !== undefined && !passes(this.#pair, namespace)) return false;
    return type.namespaced ? listsType(filters, type) : !refusesCompanion(filters, type);
  }

  async #fetchAndStore(
    type: ResourceType,
    place: Related,
    missing: string,
    signal: AbortSignal,
  ): Promise<void> {
    const subject = { resource: typeName(type), namespace: place.namespace, name: place.name };
    try {
      const raw = await fetchOne(this.#options.source, type, place, signal);
      if (raw === undefined) this.#options.warnings.add(subject, missing);
      else await this.#store(type, raw, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (isFatal(error)) throw error;
      this.#options.errors.add(subject, "cannot read the item", words(error));
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

  #jobs(type: ResourceType): ListJob[] {
    const queries = this.#selectors.length === 0 ? [undefined] : this.#selectors.map(selectorQuery);
    const places = type.namespaced ? this.#places() : [undefined];
    return places.flatMap((namespace) =>
      queries.map((labelSelector) => ({
        type,
        ...(namespace !== undefined && { namespace }),
        ...(labelSelector !== undefined && labelSelector !== "" && { labelSelector }),
      })),
    );
  }

  #places(): readonly (string | undefined)[] {
    const scope: Scope = scopeOf(this.#pair, this.#options.namespaces);
    return scope.everywhere ? [undefined] : scope.namespaces;
  }

  async #counted(jobs: readonly ListJob[], signal: AbortSignal): Promise<CountedJob[]> {
    const { source } = this.#options;
    const takes = (namespace: string) => passes(this.#pair, namespace);
    const counted = await countJobs({ source, takes }, jobs, signal);
    const scope = scopeOf(this.#pair, this.#options.namespaces);
    if (!scope.everywhere || scope.without.length === 0) return counted;
    const wide = counted.filter((job) => job.type.namespaced);
    const minus = await countJobs(
      { source, takes: (namespace) => scope.without.includes(namespace) },
      wide.flatMap(({ count: _all, ...job }) => scope.without.map((namespace) => ({ ...job, namespace }))),
      signal,
    );
    return counted.map((job) => {
      const out = minus.filter((m) => m.type === job.type && m.labelSelector === job.labelSelector);
      return { ...job, count: Math.max(0, job.count - out.reduce((sum, m) => sum + m.count, 0)) };
    });
  }

  /** Items that the backup names in an order come first; the lists meet them again and pass over them. */
  async #ordered(types: readonly ResourceType[], signal: AbortSignal): Promise<void> {
    const { backup } = this.#options;
    for (const type of types) {
      for (const place of wantedOrder(backup.spec?.orderedResources, type)) {
        if (type.namespaced && !passes(this.#pair, place.namespace ?? "")) continue;
        const { group, plural } = type;
        await this.#fetchAndStore(type, { group, plural, ...place }, "is ordered and does not exist", signal);
      }
    }
  }

  async #lists(jobs: readonly CountedJob[], signal: AbortSignal): Promise<void> {
    const { source, errors, onMove } = this.#options;
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
          errors.add({ resource: typeName(job.type), namespace }, "cannot list", words(step.error));
        }
        this.count.end();
      } else if ("end" in step) this.count.end();
      else {
        const last = await this.#page(job.type, step.page.items, signal);
        this.count.visited(step.page.items.length, step.page.remaining);
        onMove(last);
      }
    }
  }

  async #page(type: ResourceType, items: readonly Buffer[], signal: AbortSignal): Promise<string> {
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
    if (!this.#takes(type, item)) return undefined;
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
    persistentvolumeclaims: (type, raw, item, signal) => this.#claim(type, raw, item, signal),
    persistentvolumes: (type, raw, item, signal) => this.#volume(type, raw, item, signal),
    serviceaccounts: (type, raw, item, signal) => this.#account(type, raw, item, signal),
  };

  #write(
    type: ResourceType,
    raw: Uint8Array,
    { name, namespace }: Item["metadata"],
  ): Promise<void> | undefined {
    const { group, plural, version } = type;
    const wait = this.#options.archive.add(
      { group, plural, version, namespace, name },
      Buffer.isBuffer(raw) ? withKind(raw, type) : raw,
    );
    this.count.stored();
    return wait;
  }

  #lose(type: ResourceType, { namespace, name }: Pick<PodItem["metadata"], "namespace" | "name">): void {
    this.inventory.remove(kindKey(type), namespace, name);
    this.count.lost();
  }

  async #pod(type: ResourceType, raw: Buffer, item: Item, signal: AbortSignal): Promise<void> {
    const { blocks, pods, onMove } = this.#options;
    onMove(`pods ${item.metadata.namespace}/${item.metadata.name}`);
    const step = (text: Buffer, one: Item): PodStep => ({
      pod: one as unknown as PodItem, // the API server checked its shape
      store: async () => {
        await this.#write(type, text, one.metadata);
        for (const related of pods.needs(one)) await this.companion(related, signal);
      },
    });
    const steps = [step(raw, item)];
    for (const text of await blocks.mates(type, item, signal)) {
      const mate = readItem(text);
      if (this.#selected(mate) && this.#takes(type, mate)) steps.push(step(text, mate));
    }
    for (const { metadata } of await pods.around(steps, signal)) this.#lose(type, metadata);
  }

  #selected({ metadata }: Item): boolean {
    const labels = metadata.labels ?? {};
    return this.#selectors.length === 0 || this.#selectors.some((selector) => selects(selector, labels));
  }

  async #claim(type: ResourceType, raw: Buffer, item: Item, signal: AbortSignal): Promise<void> {
    const changed = storedClaim(item);
    await this.#write(type, changed ? Buffer.from(JSON.stringify(changed)) : raw, item.metadata);
    for (const related of claimNeeds(item)) await this.companion(related, signal);
  }

  async #volume(type: ResourceType, raw: Buffer, item: Item, signal: AbortSignal): Promise<void> {
    const taken = await this.#snapshot(item, signal);
    if (taken === "failed") {
      this.#lose(type, item.metadata);
      return;
    }
    this.volumes.push(volumeSeen(item, taken === "taken" ? undefined : taken.skipped));
    await this.#write(type, raw, item.metadata);
  }

  async #snapshot(volume: Item, signal: AbortSignal): Promise<Taken> {
    const { snapshots, warnings, errors, pods, backup, volumeAction } = this.#options;
    if (!snapshots) return { skipped: "nothing here can take snapshots" };
    const action = volumeAction && volumeAction(await this.#volumeFacts(volume, signal));
    const refusal = snapshotRefusal(backup.spec, { copied: pods.copies(volume), action });
    if (refusal !== undefined) return { skipped: refusal };
    this.#options.onMove(`persistentvolumes ${volume.metadata.name}`);
    return snapshots.take(volume, { warnings, errors }, signal);
  }

  async #volumeFacts(volume: Item, signal: AbortSignal): Promise<VolumeFacts> {
    const spec = (volume["spec"] ?? {}) as Readonly<Record<string, unknown>>; // the server's own shape
    const { name, namespace } = (spec["claimRef"] ?? {}) as { name?: string; namespace?: string }; // and this
    const type = this.#byName.get("persistentvolumeclaims");
    const raw =
      name !== undefined && type
        ? await fetchOne(this.#options.source, type, { name, namespace }, signal)
        : undefined;
    return claimedVolumeFacts(spec, raw && (readItem(raw) as Parameters<typeof claimedVolumeFacts>[1])); // a claim by the type it was asked as
  }

  async #account(type: ResourceType, raw: Buffer, item: Item, signal: AbortSignal): Promise<void> {
    await this.#write(type, raw, item.metadata);
    this.#bindings ??= await this.#readBindings(signal);
    const { namespace = "", name } = item.metadata;
    for (const related of this.#bindings.needs(namespace, name)) await this.companion(related, signal);
  }

  async #readBindings(signal: AbortSignal): Promise<Bindings> {
    const bindings = new Bindings();
    const type = this.#byName.get("clusterrolebindings.rbac.authorization.k8s.io");
    if (!type || refusesCompanion(this.#options.filters, type)) return bindings;
    try {
      for await (const page of this.#options.source.rawPages(type, {}, signal)) {
        for (const raw of page.items) bindings.add(readItem(raw));
      }
    } catch (error) {
      signal.throwIfAborted();
      if (isFatal(error)) throw error;
      this.#options.errors.add(
        { resource: typeName(type) },
        "cannot list for service accounts",
        words(error),
      );
    }
    return bindings;
  }

  #keeps(facts: NamespaceFacts, holds: boolean): boolean {
    return keepsNamespace(this.#pair, this.#selectors, facts, holds);
  }

  async #namespaceObjects(type: ResourceType, promised: number, signal: AbortSignal): Promise<void> {
    this.count.begin(promised);
    for (const facts of this.#options.namespaces) {
      if (!this.#keeps(facts, this.inventory.holds(facts.name))) continue;
      const place = { group: "", plural: "namespaces", name: facts.name };
      await this.#fetchAndStore(type, place, "was deleted while the backup ran", signal);
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
      const raw = await fetchOne(this.#options.source, type, place, signal).catch((error: unknown) => {
        signal.throwIfAborted();
        if (isFatal(error)) throw error;
        this.#options.errors.add(
          { resource: typeName(type), ...place },
          "cannot read the definition",
          words(error),
        );
        return undefined;
      });
      // Groups that are built in have no definition.
      if (raw !== undefined) await this.#store(type, raw, signal);
    }
  }
}
