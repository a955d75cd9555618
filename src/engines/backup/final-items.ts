import { messageOf } from "../../errors.ts";
import { withKind } from "../../kube/index.ts";
import type { ActedItems } from "./acted-items.ts";
import { entryNames } from "./archive.ts";
import { typeName } from "./filters.ts";
import type { Inventory } from "./inventory.ts";
import type { NamedItem } from "./item-actions.ts";
import type { Findings } from "./results.ts";
import { fetchOne, kindKey, type ResourceType, readItem, type Source } from "./source.ts";
import { isFatal } from "./trouble.ts";

/** What reading items again needs. */
export interface FinalItemsOptions {
  readonly source: Source;
  readonly acted: ActedItems;
  readonly inventory: Inventory;
  readonly errors: Pick<Findings, "add">;
  readonly typeOf: (item: NamedItem) => ResourceType | undefined;
}

/**
 * Items that plugins want read again when their operations have ended: what the archive is to hold in place of what it holds.
 * A few kilobytes for each such item. One that is gone stays as it was first stored.
 */
export async function finalItems(
  items: readonly NamedItem[],
  options: FinalItemsOptions,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Uint8Array>> {
  const { source, acted, inventory, errors, typeOf } = options;
  const entries = new Map<string, Uint8Array>();
  const met = new Set<string>();
  const again = async (type: ResourceType, { namespace, name }: NamedItem): Promise<void> => {
    const key = `${kindKey(type)} ${namespace}/${name}`;
    if (met.has(key)) return;
    met.add(key);
    const place = { name, ...(namespace !== "" && { namespace }) };
    const raw = await fetchOne(source, type, place, signal);
    if (raw === undefined) return;
    const { labels } = readItem(raw).metadata;
    const given = { ...place, labels: labels ?? {}, json: withKind(raw, type), isFinal: true };
    const now = await acted.act(type, given, again);
    if ("dropped" in now) return;
    const { group, plural, version } = type;
    const stored = { group, plural, version, namespace: now.namespace, name: now.name };
    inventory.add(kindKey(type), now.namespace, now.name);
    for (const entry of entryNames(stored)) entries.set(entry, now.json);
  };
  for (const item of items) {
    const type = typeOf(item);
    if (!type) continue;
    try {
      await again(type, item);
    } catch (error) {
      signal.throwIfAborted();
      if (isFatal(error)) throw error;
      const { namespace, name } = item;
      const subject = { resource: typeName(type), name, ...(namespace !== "" && { namespace }) };
      errors.add(subject, "cannot store the item as it is after its operation", messageOf(error));
    }
  }
  return entries;
}
