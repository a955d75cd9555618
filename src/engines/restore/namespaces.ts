import { AppError } from "../../errors.ts";
import { builtIn, isAlreadyExists, isNotFound, patiently, type Resource, sleep } from "../../kube/index.ts";
import { type Item, parseItem } from "./archive/item-json.ts";
import type { Spool } from "./archive/spool.ts";
import { recordOf, update, without } from "./json.ts";
import type { Ended } from "./outcomes.ts";
import { isOurs, type PutContext } from "./put.ts";
import { labelled, reset } from "./transform/reset.ts";

const resource: Resource = builtIn.namespaces;
const pollMs = 1000;

/** The namespace as it is to be created: the one of the backup under its target name, or a bare one. */
export function namespaceFor(archived: Item | undefined, name: string): Item {
  const bare: Item = { apiVersion: "v1", kind: "Namespace", metadata: { name } };
  if (archived === undefined) return bare;
  const plain = reset(archived);
  if (archived.metadata.name === name) return plain;
  // The API server sets this label to the name; the old one would contradict the new.
  const labels = without(recordOf(plain.metadata.labels), "kubernetes.io/metadata.name");
  return update({ ...plain, metadata: { ...plain.metadata, name } }, ["metadata", "labels"], () => labels);
}

/** The archived Namespace object of a namespace of the backup. */
export async function archivedNamespace(spool: Spool, name: string): Promise<Item | undefined> {
  const ordinal = spool.find({ groupResource: "namespaces", namespace: "", name });
  if (ordinal === undefined) return undefined;
  const item = parseItem(await spool.read(ordinal), { name });
  return typeof item === "string" ? undefined : item;
}

/**
 * Makes sure that a namespace is there and takes new objects; waits for one that is being deleted to be gone.
 * Undefined when it was there before.
 */
export async function ensureNamespace(
  wanted: Item,
  context: PutContext & { readonly terminatingLimitMs: number },
  signal: AbortSignal,
): Promise<Ended | undefined> {
  const { cluster, clock } = context;
  const { name } = wanted.metadata;
  const until = clock.monotonic() + context.terminatingLimitMs;
  for (;;) {
    const existing = await getNamespace(name, context, signal);
    if (existing === undefined) {
      const object = await create(wanted, context, signal);
      if (object) return { outcome: "created", object };
      continue;
    }
    if (!isTerminating(existing))
      return isOurs(existing, context) ? { outcome: "created", object: existing } : undefined;
    if (clock.monotonic() >= until) {
      throw new AppError(
        "NAMESPACE_TERMINATING",
        `restore into namespace "${name}": it is still being deleted`,
      );
    }
    context.waiting?.(`namespace "${name}" is being deleted`);
    await sleep(clock, pollMs, signal);
    context.waiting?.(undefined);
  }
  async function create(item: Item, { labels }: PutContext, stop: AbortSignal): Promise<Item | undefined> {
    try {
      return await patiently(
        () => cluster.create<Item>(resource, labelled(item, labels), {}, stop),
        clock,
        stop,
        context.waiting,
      );
    } catch (error) {
      if (isAlreadyExists(error)) return undefined; // somebody was faster, or we were, before the line broke
      throw error;
    }
  }
}

async function getNamespace(
  name: string,
  context: PutContext,
  signal: AbortSignal,
): Promise<Item | undefined> {
  try {
    const get = () => context.cluster.get<Item>(resource, name, {}, signal);
    return await patiently(get, context.clock, signal, context.waiting);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** Whether a namespace is on its way out. */
export function isTerminating(namespace: Item): boolean {
  return (
    (namespace.metadata["deletionTimestamp"] ?? null) !== null ||
    recordOf(namespace["status"])["phase"] === "Terminating"
  );
}
