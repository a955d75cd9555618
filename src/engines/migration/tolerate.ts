import type { KubeObject } from "../../api/index.ts";
import { type Client, isAlreadyExists, isNotFound, type ListQuery, type Resource } from "../../kube/index.ts";

/** One object, or undefined when it or its kind is not there. */
export async function find<T extends KubeObject>(
  client: Client,
  resource: Resource,
  name: string,
  namespace: string | undefined,
  signal: AbortSignal,
): Promise<T | undefined> {
  return client.get<T>(resource, name, { namespace }, signal).catch(ignoreNotFound);
}

/** A list, sorted by name; none where the kind does not exist, as OpenShift's kinds do not on other clusters. */
export async function all<T extends KubeObject>(
  client: Client,
  resource: Resource,
  query: ListQuery,
  signal: AbortSignal,
): Promise<readonly T[]> {
  const found = (await client.list<T>(resource, query, signal).catch(ignoreNotFound)) ?? [];
  return found.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

/** Creates an object; one that is there already is as good. */
export async function ensure(
  client: Client,
  resource: Resource,
  object: object,
  signal: AbortSignal,
): Promise<void> {
  await client.create(resource, object, {}, signal).catch((error: unknown) => {
    if (!isAlreadyExists(error)) throw error;
  });
}

/** Deletes an object; one that is gone is as good. */
export async function remove(
  client: Client,
  resource: Resource,
  object: KubeObject,
  signal: AbortSignal,
  propagation: "Background" | "Foreground" = "Background",
): Promise<void> {
  const { name, namespace, uid } = object.metadata;
  await client.delete(resource, name, { namespace, uid, propagation }, signal).catch(ignoreNotFound);
}

/** Merges a change into an object; one that is gone needs none. */
export async function change(
  client: Client,
  resource: Resource,
  object: KubeObject,
  body: object,
  signal: AbortSignal,
): Promise<void> {
  const { name, namespace } = object.metadata;
  await client.patch(resource, name, { type: "merge", body }, { namespace }, signal).catch(ignoreNotFound);
}

/** `namespace/name`. */
export function keyOf({ metadata }: KubeObject): string {
  return metadata.namespace === undefined ? metadata.name : `${metadata.namespace}/${metadata.name}`;
}

function ignoreNotFound(error: unknown): undefined {
  if (!isNotFound(error)) throw error;
}
