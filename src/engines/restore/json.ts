import { isRawNumber } from "./archive/item-json.ts";

/** Any JSON object; keys may be anything, `__proto__` included, so it is only ever spread, never assigned into. */
export type Json = Readonly<Record<string, unknown>>;

/** Whether a value is a JSON object. */
export function isRecord(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !isRawNumber(value);
}

/** The value when it is an object, else an empty one. */
export function recordOf(value: unknown): Json {
  return isRecord(value) ? value : {};
}

/** The elements that are objects. */
export function recordsOf(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

/** The value when it is a text, else an empty one. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** An own field; inherited ones are not data. */
export function own(object: Json, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** The object without some of its fields. */
export function without<T extends object>(object: T, ...keys: readonly string[]): T {
  if (!keys.some((key) => Object.hasOwn(object, key))) return object;
  const kept = Object.entries(object).filter(([key]) => !keys.includes(key));
  return Object.fromEntries(kept) as T; // the caller's type says which of these may be missing
}

/** The object with one field changed; undefined takes it away. */
export function set<T extends object>(object: T, key: string, value: unknown): T {
  if (value === undefined) return without(object, key);
  return { ...object, [key]: value };
}

/** The object with a deep field changed; a change that gives undefined takes it away, and no way is built to nothing. */
export function update<T extends object>(
  object: T,
  path: readonly string[],
  change: (value: unknown) => unknown,
): T {
  const [key, ...rest] = path;
  if (key === undefined) return object;
  const old = own(object as Json, key);
  if (rest.length === 0) {
    const fresh = change(old);
    return fresh === old ? object : set(object, key, fresh);
  }
  if (!isRecord(old)) return object;
  const fresh = update(old, rest, change);
  return fresh === old ? object : set(object, key, fresh);
}

/** Whether two JSON values say the same; the order of keys means nothing. */
export function same(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  // What came from the cluster was read as a double: then the double of the kept text is what can be compared.
  if (typeof a === "number" || typeof b === "number") return doubleOf(a) === doubleOf(b);
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (isRawNumber(a) || isRawNumber(b)) return JSON.stringify(a) === JSON.stringify(b);
  if (Array.isArray(a) || Array.isArray(b)) {
    return (
      Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((one, at) => same(one, b[at]))
    );
  }
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && same((a as Json)[key], (b as Json)[key]))
  );
}

function doubleOf(value: unknown): unknown {
  return typeof value === "object" && value !== null && isRawNumber(value) ? Number(value.rawJSON) : value;
}

/** The JSON merge patch (RFC 7386) that leads from one object to the other; undefined when there is nothing to do. */
export function mergePatch(from: Json, to: Json): Json | undefined {
  const changes: [string, unknown][] = [];
  for (const key of Object.keys(from)) if (!Object.hasOwn(to, key)) changes.push([key, null]);
  for (const [key, wanted] of Object.entries(to)) {
    const is = own(from, key);
    if (same(is, wanted)) continue;
    if (isRecord(is) && isRecord(wanted)) changes.push([key, mergePatch(is, wanted)]);
    else changes.push([key, wanted]);
  }
  return changes.length === 0 ? undefined : Object.fromEntries(changes);
}

/** The object after a JSON merge patch. */
export function applyMergePatch(target: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) return patch;
  const fields = new Map(Object.entries(recordOf(target)));
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) fields.delete(key);
    else fields.set(key, applyMergePatch(fields.get(key), value));
  }
  return Object.fromEntries(fields);
}
