import { core } from "./core.ts";
import { other } from "./other.ts";

/**
 * The type of a field of a built-in kind.
 *
 * Notation of core.ts and other.ts, one type a line: `Name field:type …`, `*` after a required field's name, `^` after the
 * name of an atomic type. Scalars: s text, i/l integer, n number, b boolean, t/u time, q quantity, x number or text, y base64,
 * r any object, a anything. `{T}` map, `[T]` list; after a list `/key` merges by that key (`/` alone: as a set) in a strategic
 * merge patch and `!k1,k2` (`!` alone: as a set) in server-side apply; `~` keeps only the patch's keys; `^` is atomic.
 */
export type FieldType =
  | { readonly is: "scalar"; readonly scalar: string }
  | { readonly is: "struct"; readonly name: string; readonly retainKeys: boolean; readonly atomic: boolean }
  | { readonly is: "map"; readonly of: FieldType; readonly atomic: boolean }
  | {
      readonly is: "list";
      readonly of: FieldType;
      /** The key by which a strategic merge patch pairs items; "" for a set of scalars; absent: the list is replaced. */
      readonly mergeKey?: string;
      /** The keys by which apply pairs items; empty for a set; absent: atomic. */
      readonly mapKeys?: readonly string[];
      readonly retainKeys: boolean;
    };

/** A field of a struct. */
export interface Field {
  readonly type: FieldType;
  readonly required: boolean;
}

/** The fields of one built-in type. */
export interface Struct {
  readonly name: string;
  readonly atomic: boolean;
  readonly fields: ReadonlyMap<string, Field>;
}

let structs: Map<string, string> | undefined;
const parsed = new Map<string, Struct>();

/** A built-in type by name; undefined when there is none. */
export function structOf(name: string): Struct | undefined {
  const known = parsed.get(name);
  if (known) return known;
  structs ??= index();
  const line = structs.get(name);
  if (line === undefined) return undefined;
  const struct = parseStruct(line);
  parsed.set(name, struct);
  return struct;
}

function index(): Map<string, string> {
  const all = new Map<string, string>();
  for (const line of `${core}${other}`.split("\n")) {
    const [name = ""] = line.split(" ", 1);
    if (name !== "") all.set(name.replace("^", ""), line);
  }
  return all;
}

function parseStruct(line: string): Struct {
  const [head = "", ...words] = line.split(" ");
  const fields = new Map<string, Field>();
  for (const word of words) {
    const cut = word.indexOf(":");
    const name = word.slice(0, cut);
    const required = name.endsWith("*");
    fields.set(required ? name.slice(0, -1) : name, { type: parseType(word.slice(cut + 1)), required });
  }
  return { name: head.replace("^", ""), atomic: head.endsWith("^"), fields };
}

function parseType(text: string): FieldType {
  if (text.startsWith("{")) {
    const end = text.lastIndexOf("}");
    return { is: "map", of: parseType(text.slice(1, end)), atomic: text.endsWith("^") };
  }
  if (text.startsWith("[")) {
    const end = text.lastIndexOf("]");
    const marks = text.slice(end + 1);
    const mergeKey = /\/([^!~^]*)/.exec(marks)?.[1];
    const mapKeys = /!([^~^]*)/.exec(marks)?.[1];
    return {
      is: "list",
      of: parseType(text.slice(1, end)),
      retainKeys: marks.includes("~"),
      ...(mergeKey !== undefined && { mergeKey }),
      ...(mapKeys !== undefined && { mapKeys: mapKeys === "" ? [] : mapKeys.split(",") }),
    };
  }
  if (text.length === 1) return { is: "scalar", scalar: text };
  const name = text.replace(/[~^]+$/, "");
  return { is: "struct", name, retainKeys: text.includes("~"), atomic: text.includes("^") };
}
