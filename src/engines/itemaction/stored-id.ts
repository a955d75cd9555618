import type { StoredItemId } from "../../api/index.ts";
import type { ItemId } from "../../plugins/index.ts";

/** An item as operations name it, out of `deployments.apps`. */
export function storedId(groupResource: string, namespace: string | undefined, name: string): StoredItemId {
  const [resource = "", ...group] = groupResource.split(".");
  return { Group: group.join("."), Resource: resource, Namespace: namespace ?? "", Name: name };
}

/** The same as plugins name it. */
export function itemIdOf({ Group, Resource, Namespace, Name }: StoredItemId): ItemId {
  return { group: Group, resource: Resource, namespace: Namespace, name: Name };
}

/** What an operation is found by again: an action begins one for an item at most. */
export function operationKey(action: string, { Group, Resource, Namespace, Name }: StoredItemId): string {
  return JSON.stringify([action, Group, Resource, Namespace, Name]);
}
