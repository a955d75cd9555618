import { type IncludeExclude, type LabelSelector, passes, selectorQuery } from "../../api/index.ts";
import { type CountedJob, countJobs } from "./count.ts";
import { type NamespaceFacts, scopeOf } from "./namespaces.ts";
import type { ListJob, ResourceType, Source } from "./source.ts";

/** Where a backup looks for items. */
export interface ListPlaces {
  readonly source: Source;
  readonly namespaces: readonly NamespaceFacts[];
  readonly pair: IncludeExclude;
  readonly selectors: readonly LabelSelector[];
}

/** The lists to read for a type: everywhere at once, or one for each namespace and selector. */
export function listJobs(type: ResourceType, { namespaces, pair, selectors }: ListPlaces): ListJob[] {
  const queries = selectors.length === 0 ? [undefined] : selectors.map(selectorQuery);
  const scope = scopeOf(pair, namespaces);
  const places = !type.namespaced || scope.everywhere ? [undefined] : scope.namespaces;
  return places.flatMap((namespace) =>
    queries.map((labelSelector) => ({
      type,
      ...(namespace !== undefined && { namespace }),
      ...(labelSelector !== undefined && labelSelector !== "" && { labelSelector }),
    })),
  );
}

/** The same lists with the number of items that the backup takes of each. */
export async function countListed(
  jobs: readonly ListJob[],
  { source, namespaces, pair }: ListPlaces,
  signal: AbortSignal,
): Promise<CountedJob[]> {
  const counted = await countJobs({ source, takes: (namespace) => passes(pair, namespace) }, jobs, signal);
  const scope = scopeOf(pair, namespaces);
  if (!scope.everywhere || scope.without.length === 0) return counted;
  const wide = counted.filter((job) => job.type.namespaced);
  const minus = await countJobs(
    { source, takes: (namespace) => scope.without.includes(namespace) },
    wide.flatMap(({ count: _all, ...job }) => scope.without.map((namespace) => ({ ...job, namespace }))),
    signal,
  );
  return counted.map((job) => {
    const out = minus.filter((m) => m.type === job.type && m.labelSelector === job.labelSelector);
    return { ...job, count: Math.max(0, job.count - out.reduce((sum, m) => sum + m.count, 0)) };
  });
}
