import { isRecord, type JsonRecord, own, sameJson, without } from "../../api/index.ts";

export { isRecord, own, sameJson as same, without };
export type Json = JsonRecord;

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

/** The object with one field changed; undefined takes it away. */
function set<T extends object>(object: T, key: string, value: unknown): T {
  if (value === undefined) return without(object, key);
  return { ...object, [key]: value };
}

/** The object with a deep field changed; returning undefined removes the field, and parents are only created for a value. */
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

/** The JSON merge patch (RFC 7386) that leads from one object to the other; undefined when there is nothing to do. */
export function mergePatch(from: Json, to: Json): Json | undefined {
  const changes: [string, unknown][] = [];
  for (const key of Object.keys(from)) if (!Object.hasOwn(to, key)) changes.push([key, null]);
  for (const [key, wanted] of Object.entries(to)) {
    const is = own(from, key);
    if (sameJson(is, wanted)) continue;
    if (isRecord(is) && isRecord(wanted)) changes.push([key, mergePatch(is, wanted)]);
    else changes.push([key, wanted]);
  }
  return changes.length === 0 ? undefined : Object.fromEntries(changes);
}
