import { messageOf } from "../../errors.ts";
import type { ArchivedItem } from "./archive.ts";
import { typeName } from "./filters.ts";
import type { Inventory } from "./inventory.ts";
import type { ActedItem, ItemActions, NamedItem } from "./item-actions.ts";
import type { Findings } from "./results.ts";
import { type Item, kindKey, type ResourceType } from "./source.ts";
import { isFatal } from "./trouble.ts";

/** Items of one type that are in the hands of actions at a time. */
const itemsAtATime = 16;

/** What items that go through actions need of the walk that meets them. */
export interface ActedWalk {
  readonly inventory: Inventory;
  readonly errors: Pick<Findings, "add">;
  readonly info: (message: string) => void;
  /** Puts an item into the archive, as it is. */
  readonly archive: (place: ArchivedItem, json: Uint8Array) => Promise<void> | undefined;
  /** A type by any word for it. */
  readonly typeOf: (item: NamedItem) => ResourceType | undefined;
  /** Brings an item in that another one needs; throws what keeps the other one from being stored. */
  readonly bring: (type: ResourceType, item: NamedItem, must: boolean) => Promise<void>;
  /** An item that could not be stored. */
  readonly lose: (type: ResourceType, metadata: Item["metadata"]) => void;
}

/** Items that plugins see before they are stored. */
export class ActedItems {
  readonly #actions: ItemActions;
  readonly #walk: ActedWalk;
  readonly #signal: AbortSignal;
  /** Names that items got from a plugin; bounded by the items of which plugins changed the name. */
  readonly #given = new Map<string, string>();

  constructor(actions: ItemActions, walk: ActedWalk, signal: AbortSignal) {
    this.#actions = actions;
    this.#walk = walk;
    this.#signal = signal;
  }

  wants(type: ResourceType): boolean {
    return this.#actions.wants(typeName(type));
  }

  /** Works on the items of a page side by side: calls to a plugin take longer than anything else that is done with an item. */
  async page(items: readonly Buffer[], store: (raw: Buffer) => Promise<void> | undefined): Promise<void> {
    const rest = items.values();
    const lane = async () => {
      for (const raw of rest) await store(raw);
    };
    const lanes = await Promise.allSettled(Array.from({ length: itemsAtATime }, lane));
    for (const one of lanes) if (one.status === "rejected") throw one.reason;
  }

  /** Lets actions have an item and stores what they made of it; false when nothing was stored. Undefined when no action wants it. */
  store(type: ResourceType, json: Uint8Array, metadata: Item["metadata"]): Promise<boolean> | undefined {
    return this.wants(type) ? this.#store(type, json, metadata) : undefined;
  }

  /** Says why an item is passed over, when the reason is another item that a plugin gave its name. */
  passOver(type: ResourceType, { namespace, name }: Item["metadata"]): void {
    const taker = this.#given.get(placeKey(type, namespace, name));
    if (taker === undefined) return;
    this.#walk.errors.add(
      { resource: typeName(type), namespace, name },
      `a plugin gave its name to ${taker}, so it is not stored`,
    );
  }

  async #store(type: ResourceType, json: Uint8Array, metadata: Item["metadata"]): Promise<boolean> {
    const { errors, lose } = this.#walk;
    const { namespace, name, labels } = metadata;
    const subject = { resource: typeName(type), namespace, name };
    try {
      const acted = await this.act(type, { namespace, name, labels: labels ?? {}, json });
      if ("dropped" in acted) {
        this.#walk.inventory.remove(kindKey(type), namespace, name);
        this.#walk.info(`plugin "${acted.dropped}" leaves out ${subject.resource} ${named(namespace, name)}`);
        return false;
      }
      this.#rename(type, metadata, acted);
      const { group, plural, version } = type;
      const place = { group, plural, version, namespace: acted.namespace, name: acted.name };
      await this.#walk.archive(place, acted.json);
      return true;
    } catch (error) {
      this.#signal.throwIfAborted();
      if (isFatal(error)) throw error;
      errors.add(subject, "the item was not stored", messageOf(error));
      lose(type, metadata);
      return false;
    }
  }

  /** What actions make of an item. */
  act(
    type: ResourceType,
    item: {
      readonly namespace?: string | undefined;
      readonly name: string;
      readonly labels: Readonly<Record<string, string>>;
      readonly json: Uint8Array;
      readonly isFinal?: boolean;
    },
    bring: (type: ResourceType, item: NamedItem, must: boolean) => Promise<void> = this.#walk.bring,
  ): Promise<ActedItem> {
    const bringNamed = async (one: NamedItem, must: boolean) => {
      const found = this.#walk.typeOf(one);
      const word = one.group === "" ? one.resource : `${one.resource}.${one.group}`;
      if (!found) throw new Error(`a plugin names an item of type "${word}", which the cluster has not`);
      await bring(found, one, must);
    };
    return this.#actions.act({ ...item, groupResource: typeName(type) }, bringNamed, this.#signal);
  }

  /** Two items of one name would make an archive that cannot be read. */
  #rename(
    type: ResourceType,
    before: Item["metadata"],
    now: Exclude<ActedItem, { readonly dropped: string }>,
  ): void {
    const { namespace, name } = before;
    if (now.name === name && (now.namespace ?? "") === (namespace ?? "")) return;
    const kind = kindKey(type);
    if (!this.#walk.inventory.add(kind, now.namespace, now.name)) {
      throw new Error(
        `a plugin gave it the name of ${named(now.namespace, now.name)}, which is there already`,
      );
    }
    this.#given.set(placeKey(type, now.namespace, now.name), `${typeName(type)} ${named(namespace, name)}`);
    this.#walk.inventory.remove(kind, namespace, name);
  }
}

function placeKey(type: ResourceType, namespace: string | undefined, name: string): string {
  return `${kindKey(type)} ${namespace ?? ""}/${name}`;
}

function named(namespace: string | undefined, name: string): string {
  return namespace === undefined ? `"${name}"` : `"${namespace}/${name}"`;
}
