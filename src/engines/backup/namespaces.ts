import {
  type IncludeExclude,
  isGlob,
  type LabelSelector,
  passes,
  passesEverything,
  selects,
} from "../../api/index.ts";

/** What the choice of namespaces needs of each. */
export interface NamespaceFacts {
  readonly name: string;
  readonly active: boolean;
  readonly labels: Readonly<Record<string, string>>;
}

/** Where the objects of namespaced types are listed. */
export type Scope =
  /** One list over the whole cluster. */
  | { readonly everywhere: true; readonly without: readonly string[] }
  | { readonly everywhere: false; readonly namespaces: readonly string[] };

/** Where to list: everywhere when nothing is named, else only in the namespaces that are meant. */
export function scopeOf(pair: IncludeExclude, all: readonly NamespaceFacts[]): Scope {
  const open = passesEverything({ includes: pair.includes, excludes: [] });
  if (open) {
    return { everywhere: true, without: all.map(({ name }) => name).filter((name) => !passes(pair, name)) };
  }
  return { everywhere: false, namespaces: all.map(({ name }) => name).filter((name) => passes(pair, name)) };
}

/** Namespaces that the spec names and the cluster does not have. */
export function missingNamespaces(pair: IncludeExclude, all: readonly NamespaceFacts[]): string[] {
  const there = new Set(all.map(({ name }) => name));
  return pair.includes.filter((name) => name !== "" && !isGlob(name) && !there.has(name));
}

/** Patterns that match no namespace at all. */
export function idlePatterns(pair: IncludeExclude, all: readonly NamespaceFacts[]): string[] {
  return pair.includes.filter(
    (pattern) =>
      pattern !== "*" &&
      isGlob(pattern) &&
      !all.some(({ name }) => passes({ includes: [pattern], excludes: [] }, name)),
  );
}

/** Whether a Namespace object itself belongs in the backup. Excluded ones never do, unlike upstream (its issue 9180). */
export function keepsNamespace(
  pair: IncludeExclude,
  selectors: readonly LabelSelector[],
  facts: NamespaceFacts,
  holdsItems: boolean,
): boolean {
  if (!passes(pair, facts.name)) return false;
  if (holdsItems) return true;
  if (!facts.active) return false;
  if (selectors.some((selector) => selects(selector, facts.labels))) return true;
  return !(passesEverything(pair) && selectors.length > 0);
}
