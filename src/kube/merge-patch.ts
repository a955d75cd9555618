/** A JSON merge patch (RFC 7396): what to set, with null for what to take away. */
export type MergePatch = { readonly [key: string]: unknown };

/** One patch that does what `first` and then `next` would do; next wins where both speak. */
export function composePatches(first: MergePatch, next: MergePatch): MergePatch {
  const both: Record<string, unknown> = { ...first };
  for (const [key, value] of Object.entries(next)) {
    const before = both[key];
    // defineProperty, since "__proto__" is a key like any other in JSON
    Object.defineProperty(both, key, {
      value: isPatch(before) && isPatch(value) ? composePatches(before, value) : value,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return both;
}

function isPatch(value: unknown): value is MergePatch {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
