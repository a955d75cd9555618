import { isRecord, own, same, set, without } from "../json.ts";

/** One operation of a JSON patch (RFC 6902). */
export interface JsonOperation {
  readonly op: string;
  readonly path: string;
  readonly from?: string;
  readonly value?: unknown;
}

/** The value after the operations; throws when one does not apply, and then none did. */
export function applyJsonPatch<T>(target: T, operations: readonly JsonOperation[]): T {
  let value: unknown = target;
  for (const operation of operations) value = applyOne(value, operation);
  return value as T; // a patch that makes an object something else is refused where it is used
}

function applyOne(target: unknown, { op, path, from = "", value }: JsonOperation): unknown {
  const keys = pointer(path);
  switch (op) {
    case "add":
      return put(target, keys, value, "add");
    case "replace":
      return put(target, keys, value, "replace");
    case "remove":
      return put(target, keys, undefined, "remove");
    case "copy":
      return put(target, keys, get(target, pointer(from)), "add");
    case "move":
      return put(put(target, pointer(from), undefined, "remove"), keys, get(target, pointer(from)), "add");
    case "test":
      if (!same(get(target, keys), value)) throw new Error(`"${path}" is not what the patch expects`);
      return target;
    default:
      throw new Error(`"${op}" is not an operation of a JSON patch`);
  }
}

/** The keys of a JSON pointer (RFC 6901). */
function pointer(path: string): string[] {
  if (path === "") return [];
  if (!path.startsWith("/")) throw new Error(`the path "${path}" does not begin with "/"`);
  return path
    .slice(1)
    .split("/")
    .map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** What is at a place; throws when there is nothing. */
function get(target: unknown, keys: readonly string[]): unknown {
  let value = target;
  for (const key of keys) {
    const next = Array.isArray(value)
      ? value[index(value, key, false)]
      : isRecord(value)
        ? own(value, key)
        : undefined;
    if (next === undefined) throw missing(keys);
    value = next;
  }
  return value;
}

function put(
  target: unknown,
  keys: readonly string[],
  value: unknown,
  how: "add" | "replace" | "remove",
): unknown {
  const [key, ...rest] = keys;
  if (key === undefined) return value;
  if (Array.isArray(target)) {
    const at = index(target, key, how === "add" && rest.length === 0);
    if (rest.length > 0) return target.with(at, put(target[at], rest, value, how));
    if (how === "add") return target.toSpliced(at, 0, value);
    return how === "remove" ? target.toSpliced(at, 1) : target.with(at, value);
  }
  if (!isRecord(target)) throw missing(keys);
  const there = Object.hasOwn(target, key);
  if (rest.length > 0) {
    if (!there) throw missing(keys);
    return set(target, key, put(own(target, key), rest, value, how));
  }
  if (how !== "add" && !there) throw missing(keys);
  return how === "remove" ? without(target, key) : set(target, key, value);
}

function index(list: readonly unknown[], key: string, atEnd: boolean): number {
  if (key === "-" && atEnd) return list.length;
  const at = /^(0|[1-9][0-9]{0,8})$/.test(key) ? Number(key) : -1;
  if (at < 0 || at > list.length - (atEnd ? 0 : 1))
    throw new Error(`"${key}" is no place in a list of ${list.length}`);
  return at;
}

function missing(keys: readonly string[]): Error {
  return new Error(`there is nothing at "${keys.join("/")}"`);
}
