import { isRecord, own, sameJson, without } from "./json-value.ts";
import { PatchError } from "./patch-error.ts";

/** One operation of a JSON patch (RFC 6902). */
export interface JsonOperation {
  readonly op: string;
  readonly path: string;
  readonly from?: string;
  readonly value?: unknown;
}

/** Where two libraries that we stand in for differ. */
export interface JsonPatchRules {
  /** "replace" of a field that is not there adds it: the API server's library (json-patch v4) does, upstream Velero's (v5) refuses. */
  readonly replaceAdds?: boolean;
}

type How = "add" | "replace" | "remove";

/** The value after the operations; throws a PatchError when one does not apply, and then none did. */
export function applyJsonPatch(
  target: unknown,
  operations: readonly JsonOperation[],
  rules: JsonPatchRules = {},
): unknown {
  return operations.reduce<unknown>((value, operation) => {
    if (!isRecord(operation) || typeof operation.path !== "string")
      throw new PatchError("an operation of the patch has no path");
    return applyOne(value, operation, rules);
  }, target);
}

function applyOne(
  target: unknown,
  { op, path, from = "", value = null }: JsonOperation,
  rules: JsonPatchRules,
): unknown {
  const keys = pointer(path);
  switch (op) {
    case "add":
      return put(target, keys, value, "add");
    case "replace":
      return put(target, keys, value, rules.replaceAdds && !isInList(target, keys) ? "add" : "replace");
    case "remove":
      return put(target, keys, undefined, "remove");
    case "copy":
      return put(target, keys, get(target, pointer(from)), "add");
    case "move":
      return put(put(target, pointer(from), undefined, "remove"), keys, get(target, pointer(from)), "add");
    case "test":
      // A field that is not there is null for both libraries.
      if (!sameJson(lookUp(target, keys) ?? null, value))
        throw new PatchError(`"${path}" is not what the patch expects`);
      return target;
    default:
      throw new PatchError(`"${op}" is not an operation of a JSON patch`);
  }
}

/** The keys of a JSON pointer (RFC 6901). */
function pointer(path: string): string[] {
  if (path === "") return [];
  if (!path.startsWith("/")) throw new PatchError(`the path "${path}" does not begin with "/"`);
  return path
    .slice(1)
    .split("/")
    .map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** What is at a place; throws when there is nothing. */
function get(target: unknown, keys: readonly string[]): unknown {
  const value = lookUp(target, keys);
  if (value === undefined) throw missing(keys);
  return value;
}

/** What is at a place, undefined when its parent has no such field; throws when there is no parent. */
function lookUp(target: unknown, keys: readonly string[]): unknown {
  let value = target;
  for (const [depth, key] of keys.entries()) {
    if (Array.isArray(value)) value = value[index(value.length, key)];
    else if (isRecord(value)) value = own(value, key);
    else throw missing(keys);
    if (value === undefined && depth < keys.length - 1) throw missing(keys);
  }
  return value;
}

function isInList(target: unknown, keys: readonly string[]): boolean {
  return keys.length > 0 && Array.isArray(get(target, keys.slice(0, -1)));
}

function put(target: unknown, keys: readonly string[], value: unknown, how: How): unknown {
  const [key, ...rest] = keys;
  if (key === undefined) return value;
  if (Array.isArray(target)) return putInList(target, key, rest, value, how);
  if (!isRecord(target)) throw missing(keys);
  const there = Object.hasOwn(target, key);
  if (!there && (rest.length > 0 || how !== "add")) throw missing(keys);
  if (rest.length > 0) return { ...target, [key]: put(own(target, key), rest, value, how) };
  return how === "remove" ? without(target, key) : { ...target, [key]: value };
}

function putInList(
  list: readonly unknown[],
  key: string,
  rest: readonly string[],
  value: unknown,
  how: How,
): readonly unknown[] {
  const adds = how === "add" && rest.length === 0;
  if (adds && key === "-") return [...list, value];
  // A list that gets an element counts it already: "-1" is then the place after the last.
  const at = index(adds ? list.length + 1 : list.length, key);
  if (rest.length > 0) return list.with(at, put(list[at], rest, value, how));
  if (adds) return list.toSpliced(at, 0, value);
  return how === "remove" ? list.toSpliced(at, 1) : list.with(at, value);
}

/** Negative places count from the end, as in both libraries. */
function index(length: number, key: string): number {
  const place = /^[-+]?\d{1,9}$/.test(key) ? Number(key) : Number.NaN;
  const at = place < 0 ? length + place : place;
  if (at >= 0 && at < length) return at;
  throw new PatchError(`"${key}" is no place in a list of ${length}`);
}

function missing(keys: readonly string[]): PatchError {
  return new PatchError(`there is nothing at "${keys.join("/")}"`);
}
