import { withKind } from "../../kube/index.ts";
import { typeName } from "./filters.ts";
import type { ItemActions, NamedItem } from "./item-actions.ts";
import type { Findings } from "./results.ts";
import { fetchOne, type Item, type ResourceType, readItem, type Source } from "./source.ts";

/** An item of a block. */
export interface BlockItem {
  readonly type: ResourceType;
  readonly raw: Buffer;
  readonly item: Item;
}

/** What gathering a block needs of the walk that meets its first item. */
export interface BlockWalk {
  readonly source: Source;
  readonly errors: Pick<Findings, "add">;
  typeOf(item: NamedItem): ResourceType | undefined;
  /** Whether an item belongs in the backup by itself, and is not there yet; from now on it is. */
  takes(type: ResourceType, item: Item): boolean;
}

/** An item and all that plugins say belongs to it, directly or through others. Bounded by what the backup holds. */
export async function gatherBlock(
  first: BlockItem,
  actions: Pick<ItemActions, "wantsBlocks" | "relatedItems">,
  walk: BlockWalk,
  signal: AbortSignal,
): Promise<readonly BlockItem[]> {
  const block = [first];
  for (const { type, raw, item } of block) {
    const groupResource = typeName(type);
    if (!actions.wantsBlocks(groupResource)) continue;
    const { namespace, name, labels } = item.metadata;
    const given = { groupResource, namespace, name, labels: labels ?? {}, json: withKind(raw, type) };
    const failed = (why: string) =>
      walk.errors.add(
        { resource: groupResource, namespace, name },
        "a plugin cannot say what belongs to it",
        why,
      );
    for (const related of await actions.relatedItems(given, failed, signal)) {
      const other = walk.typeOf(related);
      if (!other) continue;
      const place = { name: related.name, ...(related.namespace !== "" && { namespace: related.namespace }) };
      const text = await fetchOne(walk.source, other, place, signal);
      const found = text && readItem(text);
      if (text && found && walk.takes(other, found)) block.push({ type: other, raw: text, item: found });
    }
  }
  return block;
}
