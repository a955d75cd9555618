import { itemFits } from "../../api/index.ts";
import { type ListJob, readItem, type Source } from "./source.ts";

/** A list with how many objects it had when it was counted. */
export interface CountedJob extends ListJob {
  readonly count: number;
}

/** What counting needs. */
export interface CountOptions {
  readonly source: Source;
  /** Whether objects of this namespace belong in. */
  readonly takes: (namespace: string) => boolean;
}

/** Requests at a time while counting; the client has its own limit on top. */
const parallel = 16;
/** A type with no more objects than this in the whole cluster is read at once, not namespace by namespace. */
const small = 500;

/**
 * Counts lists before they are read: one small request each, unless labels select and names must be read.
 *
 * Empty lists are left out. A list that could not be counted stays: its error is told where it is read.
 */
export async function countJobs(
  { source, takes }: CountOptions,
  jobs: readonly ListJob[],
  signal: AbortSignal,
): Promise<CountedJob[]> {
  const groups = [...Map.groupBy(jobs, ({ type }) => type).values()].flatMap((list) => [
    ...Map.groupBy(list, ({ labelSelector }) => labelSelector).values(),
  ]);
  const folded = (await mapParallel(groups, (group) => fold(source, group, takes, signal))).flat();
  const counts = await mapParallel(folded, (job) => job.count ?? countJob(source, job, signal));
  return folded.flatMap((job, i) => {
    const count = counts[i];
    return count === 0 ? [] : [{ ...job, count: count ?? 0 }];
  });
}

type MaybeCounted = ListJob & { readonly count?: number };

/** With several namespaces, one request tells whether a type is worth asking for in each of them. */
async function fold(
  source: Source,
  group: readonly ListJob[],
  takes: (namespace: string) => boolean,
  signal: AbortSignal,
): Promise<readonly MaybeCounted[]> {
  const [first] = group;
  if (!first || group.length <= 2) return group;
  if (group.some(({ namespace, rule }) => namespace === undefined || rule)) return group;
  const { type, labelSelector } = first;
  try {
    const all = await source.beginning(type, { labelSelector, metadataOnly: true, limit: small }, signal);
    if (all.more) return group;
    const count = all.items.filter((raw) => takes(readItem(raw).metadata.namespace ?? "")).length;
    return count === 0 ? [] : [{ type, ...(labelSelector !== undefined && { labelSelector }), count }];
  } catch {
    signal.throwIfAborted();
    return group; // perhaps only the whole cluster is forbidden: each namespace is asked
  }
}

async function countJob(source: Source, job: ListJob, signal: AbortSignal): Promise<number | undefined> {
  const { namespace, labelSelector, rule } = job;
  const isByName = rule !== undefined && rule.names.length + rule.excludedNames.length > 0;
  try {
    if (labelSelector === undefined && !isByName) {
      const { items, remaining, more } = await source.beginning(job.type, { namespace, limit: 1 }, signal);
      if (!more) return items.length;
      if (remaining !== undefined) return items.length + remaining;
    }
    let count = 0;
    const query = { namespace, labelSelector, metadataOnly: true };
    for await (const { items } of source.rawPages(job.type, query, signal))
      count += isByName ? items.filter((raw) => itemFits(rule, readItem(raw).metadata)).length : items.length;
    return count;
  } catch {
    signal.throwIfAborted();
    return undefined; // told when it is read
  }
}

/** Like Promise.all over a map, a bounded number at a time, in the order of the list. */
async function mapParallel<T, R>(list: readonly T[], map: (one: T) => Promise<R> | R): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const work = async () => {
    while (next < list.length) {
      const i = next++;
      const one = list[i];
      if (one !== undefined) results[i] = await map(one);
    }
  };
  await Promise.all(Array.from({ length: Math.min(parallel, list.length) }, work));
  return results;
}
