import type { ListJob, Source } from "./source.ts";

/** A list with how many objects it had when it was counted. */
export interface CountedJob extends ListJob {
  readonly count: number;
}

/** Requests at a time while counting; the client has its own limit on top. */
const parallel = 16;

/** Counts lists before they are read: one small request each, unless labels select and names must be read. */
export async function countJobs(
  source: Source,
  jobs: readonly ListJob[],
  onError: (job: ListJob, error: unknown) => void,
  signal: AbortSignal,
): Promise<CountedJob[]> {
  const busy = await withoutEmptyTypes(source, jobs, signal);
  const counts = await mapParallel(busy, async (job) => {
    try {
      return await countJob(source, job, signal);
    } catch (error) {
      signal.throwIfAborted();
      onError(job, error);
      return undefined;
    }
  });
  return busy.flatMap((job, i) => {
    const count = counts[i];
    // A list that could not be counted is tried again when it is read; that is where its error is told.
    return count === 0 ? [] : [{ ...job, count: count ?? 0 }];
  });
}

/** With many namespaces one request a type tells which types need not be asked in each of them. */
async function withoutEmptyTypes(
  source: Source,
  jobs: readonly ListJob[],
  signal: AbortSignal,
): Promise<readonly ListJob[]> {
  const byType = Map.groupBy(jobs, (job) => job.type);
  const several = [...byType].filter(([, list]) => list.length > 2).map(([type]) => type);
  const empty = new Set(
    (
      await mapParallel(several, async (type) => {
        try {
          const { items } = await source.beginning(type, { limit: 1 }, signal);
          return items.length === 0 ? type : undefined;
        } catch {
          signal.throwIfAborted();
          return undefined; // perhaps only the whole cluster is forbidden: each namespace is asked
        }
      })
    ).filter((type) => type !== undefined),
  );
  return jobs.filter((job) => !empty.has(job.type));
}

async function countJob(source: Source, job: ListJob, signal: AbortSignal): Promise<number> {
  const { namespace, labelSelector } = job;
  if (labelSelector === undefined) {
    const { items, remaining, more } = await source.beginning(job.type, { namespace, limit: 1 }, signal);
    if (!more) return items.length;
    if (remaining !== undefined) return items.length + remaining;
  }
  let count = 0;
  for await (const page of source.rawPages(
    job.type,
    { namespace, labelSelector, metadataOnly: true },
    signal,
  )) {
    count += page.items.length;
  }
  return count;
}

/** Like Promise.all over a map, a bounded number at a time, in the order of the list. */
async function mapParallel<T, R>(list: readonly T[], map: (one: T) => Promise<R>): Promise<R[]> {
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
