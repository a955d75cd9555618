import { type Item, parseItem } from "./item-json.ts";
import type { Spool, SpoolKey } from "./spool.ts";

/** An item of the archive by its place; undefined when it is not there or cannot be read. */
export async function archivedItem(spool: Spool, key: SpoolKey): Promise<Item | undefined> {
  const ordinal = spool.find(key);
  if (ordinal === undefined) return undefined;
  const { namespace, name } = key;
  const item = parseItem(await spool.read(ordinal), { namespace, name });
  return typeof item === "string" ? undefined : item;
}
