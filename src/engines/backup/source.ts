import type { ItemRule } from "../../api/index.ts";
import { apiVersionOf, type Client, type DiscoveredResource } from "../../kube/index.ts";

/** What collecting needs of a cluster; a Client is one, and tests bring theirs. */
export type Source = Pick<Client, "discover" | "rawPages" | "beginning">;

/** A resource type of the cluster. */
export type ResourceType = DiscoveredResource;

/** A list to read: all objects of a type, or those of one namespace, or those that labels select. */
export interface ListJob {
  readonly type: ResourceType;
  readonly namespace?: string;
  readonly labelSelector?: string;
  /** The rule of a resource policy that this list is read for; others are read for items without one. */
  readonly rule?: ItemRule;
}

/** What every item says about itself. */
interface ItemMeta {
  readonly name: string;
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>> | null;
  readonly deletionTimestamp?: string | null;
}

/** An item, read. */
export interface Item {
  readonly metadata: ItemMeta;
  readonly [field: string]: unknown;
}

/** Reads the text of an item. */
export function readItem(raw: Buffer): Item {
  const item = JSON.parse(raw.toString("utf8")) as Item; // the API server's own objects always have a name
  return item;
}

/** One object's text as the server wrote it; undefined when there is none. */
export async function fetchOne(
  source: Source,
  type: ResourceType,
  place: { readonly namespace?: string | undefined; readonly name: string },
  signal: AbortSignal,
): Promise<Buffer | undefined> {
  const { items } = await source.beginning(
    type,
    { namespace: place.namespace, fieldSelector: `metadata.name=${place.name}`, limit: 1 },
    signal,
  );
  return items[0];
}

/** `apps/v1/Deployment`, `v1/Pod`: the key of the resource list. */
export function kindKey(type: ResourceType): string {
  return `${apiVersionOf(type)}/${type.kind}`;
}
