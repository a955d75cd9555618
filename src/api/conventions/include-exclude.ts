import { isLegalGlob, matchesGlob } from "./glob.ts";

/** A pair of lists as Velero's filters have them; null and missing are empty. */
export interface IncludeExclude {
  readonly includes: readonly string[];
  readonly excludes: readonly string[];
}

/** The pair from two optional lists of a custom resource. */
export function includeExclude(
  includes: readonly string[] | null | undefined,
  excludes: readonly string[] | null | undefined,
): IncludeExclude {
  return { includes: includes ?? [], excludes: excludes ?? [] };
}

/** Whether a name passes: not excluded, and included by name, by pattern or because nothing is asked for. */
export function passes({ includes, excludes }: IncludeExclude, name: string): boolean {
  if (excludes.some((pattern) => matchesGlob(pattern, name))) return false;
  return includes.length === 0 || includes.some((pattern) => matchesGlob(pattern, name));
}

/** Whether the pair lets everything through, so that one list call can serve it. */
export function passesEverything({ includes, excludes }: IncludeExclude): boolean {
  return excludes.length === 0 && (includes.length === 0 || (includes.length === 1 && includes[0] === "*"));
}

/** What is wrong with a pair of lists: one sentence a fault. `scoped` lists may exclude everything with `*`. */
export function includeExcludeFaults(
  pair: IncludeExclude,
  options: { readonly scoped?: boolean } = {},
): string[] {
  const { includes, excludes } = pair;
  const faults: string[] = [];
  if (includes.includes("*") && includes.length > 1)
    faults.push('"*" must be the only entry of the includes');
  if (options.scoped === true) faults.push(...scopedFaults(pair));
  else if (excludes.includes("*")) faults.push('"*" cannot be excluded');
  for (const name of includes) {
    if (excludes.includes(name)) faults.push(`"${name}" is both included and excluded`);
  }
  for (const name of [...includes, ...excludes]) {
    if (!isLegalGlob(name)) faults.push(`"${name}" is not a pattern that can be read`);
  }
  return faults;
}

function scopedFaults({ includes, excludes }: IncludeExclude): string[] {
  if (!excludes.includes("*")) return [];
  const faults: string[] = [];
  if (excludes.length > 1) faults.push('"*" must be the only entry of the excludes');
  if (includes.length > 0) faults.push('nothing can be included while "*" is excluded');
  return faults;
}
