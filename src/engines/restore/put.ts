import { veleroNames } from "../../api/index.ts";
import { messageOf } from "../../errors.ts";
import {
  ApiError,
  type Clock,
  type DiscoveredResource,
  isAlreadyExists,
  isConflict,
  isNotFound,
  patiently,
} from "../../kube/index.ts";
import type { Item } from "./archive/item-json.ts";
import { isRecord, mergePatch, recordOf, same } from "./json.ts";
import { NotAsked } from "./not-asked.ts";
import type { Outcome } from "./outcomes.ts";
import type { Cluster } from "./served.ts";
import { mergeServiceAccount } from "./transform/access.ts";
import { comparable, labelled, type RestoreLabels } from "./transform/reset.ts";

/** What bringing an item into the cluster needs. */
export interface PutContext {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly labels: RestoreLabels;
  /** When the Restore object was created, by the API server's clock, which also stamps what is created. */
  readonly restoreCreatedAt: string;
  readonly policy: "none" | "update";
  readonly waiting?: (reason: string | undefined) => void;
}

/** How an item fared in the cluster. */
export interface Put {
  readonly outcome: Outcome;
  /** The object as it is there now; absent when it is not ours to go on with. */
  readonly object?: Item;
  readonly warning?: string;
  /** What is there is something else, and stays. */
  readonly differs?: boolean;
}

/** Creates an item, or settles with what has its name already. Throws when it can be neither created nor looked at. */
export async function put(
  item: Item,
  resource: DiscoveredResource,
  context: PutContext,
  signal: AbortSignal,
): Promise<Put> {
  const { cluster, clock } = context;
  try {
    const create = () => cluster.create<Item>(resource, item, {}, signal);
    return { outcome: "created", object: await patiently(create, clock, signal, context.waiting) };
  } catch (error) {
    signal.throwIfAborted();
    if (!isAlreadyExists(error) && !isPortTaken(error)) throw error;
    const existing = await getExisting(item, resource, context, signal);
    // A port can be taken by another service; then this one is not there, and the refusal stands.
    if (existing === undefined) throw error;
    return settle(item, existing, resource, context, signal);
  }
}

/** Whether this restore itself made the object: then a process before this one had come that far. */
export function isOurs(existing: Item, context: Pick<PutContext, "labels" | "restoreCreatedAt">): boolean {
  const created = existing.metadata["creationTimestamp"];
  return (
    existing.metadata.labels?.[veleroNames.restoreName] === context.labels.restore &&
    typeof created === "string" &&
    created >= context.restoreCreatedAt
  );
}

async function settle(
  item: Item,
  existing: Item,
  resource: DiscoveredResource,
  context: PutContext,
  signal: AbortSignal,
): Promise<Put> {
  if (isOurs(existing, context)) return { outcome: "created", object: existing };
  const have = comparable(existing);
  const want = comparable(item);
  if (same(labelled(have, context.labels), want)) {
    if (context.policy === "update") await patchLabels(item, resource, context, signal);
    return { outcome: "skipped", object: existing };
  }
  if (item.kind === "ServiceAccount" && item.apiVersion === "v1") {
    const merged = labelled(mergeServiceAccount(have, want), context.labels);
    return patched(item, mergePatch(have, merged) ?? {}, resource, context, signal);
  }
  if (context.policy === "none") {
    return {
      outcome: "failed",
      differs: true,
      warning: `${title(item)} exists already and differs from the backup; it was left as it is`,
    };
  }
  return patched(item, mergePatch(have, want) ?? {}, resource, context, signal);
}

/** Changes what exists; what cannot be changed is left, and said. */
async function patched(
  item: Item,
  body: Readonly<Record<string, unknown>>,
  resource: DiscoveredResource,
  context: PutContext,
  signal: AbortSignal,
): Promise<Put> {
  try {
    const { namespace, name } = item.metadata;
    const patch = () =>
      context.cluster.patch<Item>(resource, name, { type: "merge", body }, { namespace }, signal);
    return { outcome: "updated", object: await patiently(patch, context.clock, signal, context.waiting) };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof NotAsked) throw error;
    const reason = messageOf(error);
    await patchLabels(item, resource, context, signal).catch(() => undefined); // the first refusal is the one to tell
    return {
      outcome: "failed",
      warning: `${title(item)} exists already and could not be updated: ${reason}`,
    };
  }
}

async function patchLabels(
  item: Item,
  resource: DiscoveredResource,
  context: PutContext,
  signal: AbortSignal,
): Promise<void> {
  const { namespace, name } = item.metadata;
  const labels = {
    [veleroNames.backupName]: context.labels.backup,
    [veleroNames.restoreName]: context.labels.restore,
  };
  const body = { metadata: { labels } };
  const patch = () =>
    context.cluster.patch<Item>(resource, name, { type: "merge", body }, { namespace }, signal);
  await patiently(patch, context.clock, signal, context.waiting);
}

async function getExisting(
  item: Item,
  resource: DiscoveredResource,
  context: PutContext,
  signal: AbortSignal,
): Promise<Item | undefined> {
  const { namespace, name } = item.metadata;
  try {
    const get = () => context.cluster.get<Item>(resource, name, { namespace }, signal);
    return await patiently(get, context.clock, signal, context.waiting);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** A service keeps a node port that it already has: the API server says so instead of "exists". */
function isPortTaken(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  const causes = error.status.causes ?? [];
  return (
    causes.length > 0 &&
    causes.every(({ message }) => (message ?? "").includes("provided port is already allocated"))
  );
}

/** Gives the object in the cluster the status it had; undefined when that went well. */
export async function putStatus(
  object: Item,
  status: unknown,
  resource: DiscoveredResource,
  context: PutContext,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (same(object["status"], status)) return undefined;
  const { namespace, name } = object.metadata;
  const subresource = resource.subresources.includes("status") ? "status" : undefined;
  const write = async (current: Item): Promise<boolean> => {
    try {
      await context.cluster.replace<Item>(
        resource,
        { ...current, status },
        { namespace, subresource },
        signal,
      );
      return true;
    } catch (error) {
      if (isConflict(error)) return false; // to be read again, not just tried again
      throw error;
    }
  };
  for (let attempt = 0; ; attempt += 1) {
    try {
      const current =
        attempt === 0 ? object : await context.cluster.get<Item>(resource, name, { namespace }, signal);
      if (await patiently(() => write(current), context.clock, signal, context.waiting)) return undefined;
      if (attempt === 5) return `the status of ${title(object)} was not restored: others keep changing it`;
    } catch (error) {
      signal.throwIfAborted();
      return `the status of ${title(object)} was not restored: ${messageOf(error)}`;
    }
  }
}

/** How messages name an item. */
export function title(item: Item): string {
  return `${item.kind} "${item.metadata.name}"`;
}

/** Whether an object of the cluster has reached a condition. */
export function hasCondition(object: Item, type: string): boolean {
  const conditions = recordOf(object["status"])["conditions"];
  return (
    Array.isArray(conditions) &&
    conditions.some((one) => isRecord(one) && one["type"] === type && one["status"] === "True")
  );
}
