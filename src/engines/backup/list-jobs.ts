import { type IncludeExclude, passes, selectorQuery } from "../../api/index.ts";
import { type CountedJob, countJobs } from "./count.ts";
import { typeName } from "./filters.ts";
import type { ItemChoice } from "./item-choice.ts";
import { type NamespaceFacts, scopeOf } from "./namespaces.ts";
import type { ListJob, ResourceType, Source } from "./source.ts";

/** Where a backup looks for items. */
export interface ListPlaces {
  readonly source: Source;
  readonly namespaces: readonly NamespaceFacts[];
  readonly pair: IncludeExclude;
  readonly choice: ItemChoice;
}

/** The lists to read for a type: everywhere at once, or one for each namespace and selector; those with rules by themselves. */
export function listJobs(type: ResourceType, { namespaces, pair, choice }: ListPlaces): ListJob[] {
  const ruled = type.namespaced ? ruledNamespaces({ namespaces, pair, choice }) : [];
  const scope = scopeOf(pair, namespaces);
  const places =
    !type.namespaced || scope.everywhere
      ? [undefined]
      : scope.namespaces.filter((name) => !ruled.includes(name));
  return [...places, ...ruled].flatMap((namespace) => {
    // A type of namespaces that is listed everywhere is listed for those that have no rules.
    const isRest = type.namespaced && namespace === undefined;
    const rule = isRest ? undefined : choice.ruleFor(typeName(type), namespace);
    if (rule === "none") return [];
    const { selectors } = rule ?? choice;
    const queries = selectors.length === 0 ? [undefined] : selectors.map(selectorQuery);
    return queries.map((labelSelector) => ({
      type,
      ...(namespace !== undefined && { namespace }),
      ...(labelSelector !== undefined && labelSelector !== "" && { labelSelector }),
      ...(rule && { rule }),
    }));
  });
}

/** The same lists with the number of items that the backup takes of each. */
export async function countListed(
  jobs: readonly ListJob[],
  { source, namespaces, pair, choice }: ListPlaces,
  signal: AbortSignal,
): Promise<CountedJob[]> {
  const takes = (namespace: string) => passes(pair, namespace) && !choice.rules(namespace);
  const counted = await countJobs({ source, takes }, jobs, signal);
  const scope = scopeOf(pair, namespaces);
  if (!scope.everywhere) return counted;
  const without = [...scope.without, ...ruledNamespaces({ namespaces, pair, choice })];
  if (without.length === 0) return counted;
  const wide = counted.filter(({ type, namespace }) => type.namespaced && namespace === undefined);
  const minus = await countJobs(
    { source, takes: (namespace) => without.includes(namespace) },
    wide.flatMap(({ count: _all, ...job }) => without.map((namespace) => ({ ...job, namespace }))),
    signal,
  );
  return counted.map((job) => {
    if (!wide.includes(job)) return job;
    const out = minus.filter((m) => m.type === job.type && m.labelSelector === job.labelSelector);
    return { ...job, count: Math.max(0, job.count - out.reduce((sum, m) => sum + m.count, 0)) };
  });
}

function ruledNamespaces({ namespaces, pair, choice }: Omit<ListPlaces, "source">): readonly string[] {
  return namespaces.map(({ name }) => name).filter((name) => passes(pair, name) && choice.rules(name));
}
