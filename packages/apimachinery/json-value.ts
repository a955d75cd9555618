/** Any JSON object; keys may be anything, `__proto__` included, so it is only ever spread, never assigned into. */
export type JsonRecord = Readonly<Record<string, unknown>>;

/** Whether a value is a JSON object; a number that was kept as text is a value, not an object. */
export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !isRawNumber(value);
}

/** Whether a value is a number that was kept as the text it had, because a double would not hold it. */
export function isRawNumber(value: object): value is { readonly rawJSON: string } {
  const json: unknown = JSON;
  return (json as { isRawJSON(value: object): boolean }).isRawJSON(value); // newer than the types
}

/** An own field; inherited ones are not data. */
export function own(object: JsonRecord, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** The object without some of its fields. */
export function without<T extends object>(object: T, ...keys: readonly string[]): T {
  if (!keys.some((key) => Object.hasOwn(object, key))) return object;
  const kept = Object.entries(object).filter(([key]) => !keys.includes(key));
  return Object.fromEntries(kept) as T; // the caller's type says which of these may be missing
}

/** Whether two JSON values say the same; the order of keys means nothing. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  // What came from the cluster was read as a double: then the double of the kept text is what can be compared.
  if (typeof a === "number" || typeof b === "number") return doubleOf(a) === doubleOf(b);
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (isRawNumber(a) || isRawNumber(b)) return JSON.stringify(a) === JSON.stringify(b);
  if (Array.isArray(a) || Array.isArray(b)) {
    return (
      Array.isArray(a) &&
      Array.isArray(b) &&
      a.length === b.length &&
      a.every((one, at) => sameJson(one, b[at]))
    );
  }
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && sameJson((a as JsonRecord)[key], (b as JsonRecord)[key]))
  );
}

function doubleOf(value: unknown): unknown {
  return typeof value === "object" && value !== null && isRawNumber(value) ? Number(value.rawJSON) : value;
}
