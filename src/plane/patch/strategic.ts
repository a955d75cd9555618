import { isMap, type Json, type JsonMap, same } from "../object.ts";
import { type FieldType, structOf } from "../schema/types.ts";
import { badRequest } from "../status.ts";

/** Strategic merge patch of a built-in kind: lists with a merge key are merged item by item. */
export function strategicPatch(structName: string, target: JsonMap, patch: JsonMap): JsonMap {
  return mergeMap({ is: "struct", name: structName, retainKeys: false, atomic: false }, target, patch);
}

function mergeMap(type: FieldType | undefined, target: JsonMap, patch: JsonMap): JsonMap {
  if (patch["$patch"] === "replace") return without(patch, "$patch");
  if (patch["$patch"] === "delete") return {};
  const out: JsonMap = { ...target };
  const retain = patch["$retainKeys"];
  if (Array.isArray(retain)) for (const key of Object.keys(out)) if (!retain.includes(key)) delete out[key];
  for (const [key, value] of Object.entries(patch)) {
    if (key.startsWith("$")) {
      directive(key, value, out, patch);
    } else if (value === null) delete out[key];
    else if (value !== undefined) {
      const merged = mergeValue(fieldOf(type, key), out[key], value);
      if (merged === undefined) delete out[key];
      else out[key] = merged;
    }
  }
  reorder(patch, out, type);
  return out;
}

/** `$deleteFromPrimitiveList/name` removes values; the order directives are handled after the merge. */
function directive(key: string, value: Json | undefined, out: JsonMap, patch: JsonMap): void {
  const [what, field = ""] = key.split("/");
  if (what !== "$deleteFromPrimitiveList" || !Array.isArray(value)) return;
  const list = Array.isArray(out[field]) ? (out[field] as readonly Json[]) : [];
  const gone = value as readonly Json[];
  const left = list.filter((item) => !gone.some((g) => same(g, item)));
  if (left.length === 0 && patch[field] === undefined) delete out[field];
  else out[field] = left;
}

function reorder(patch: JsonMap, out: JsonMap, type: FieldType | undefined): void {
  for (const [key, order] of Object.entries(patch)) {
    const [what, field = ""] = key.split("/");
    if (what !== "$setElementOrder" || !Array.isArray(order) || !Array.isArray(out[field])) continue;
    const list = fieldOf(type, field);
    const mergeKey = list?.is === "list" ? list.mergeKey : undefined;
    if (mergeKey === undefined) continue;
    const wanted = order as readonly Json[];
    const id = (item: Json): Json => (mergeKey === "" || !isMap(item) ? item : (item[mergeKey] ?? null));
    const rank = (item: Json): number => wanted.findIndex((w) => same(id(w), id(item)));
    out[field] = ordered(out[field] as readonly Json[], rank);
  }
}

/** Items named in the order come in that order; the others keep their place relative to what came before them. */
function ordered(items: readonly Json[], rank: (item: Json) => number): Json[] {
  const named = items.filter((item) => rank(item) >= 0).toSorted((a, b) => rank(a) - rank(b));
  const out: Json[] = [];
  for (const item of items) {
    if (rank(item) >= 0) {
      const next = named.shift();
      if (next !== undefined) out.push(next);
    } else out.push(item);
  }
  return out;
}

function mergeValue(type: FieldType | undefined, target: Json | undefined, value: Json): Json | undefined {
  if (isMap(value)) {
    if (value["$patch"] === "delete") return undefined;
    return mergeMap(type, isMap(target) ? target : {}, value);
  }
  if (!Array.isArray(value) || type?.is !== "list" || type.mergeKey === undefined) return value;
  const list = Array.isArray(target) ? (target as readonly Json[]) : [];
  if (type.mergeKey === "") return mergeScalars(list, value as readonly Json[]);
  return mergeItems(type, type.mergeKey, list, value as readonly Json[]);
}

function mergeScalars(list: readonly Json[], patch: readonly Json[]): Json[] {
  return [...list, ...patch.filter((item) => !list.some((old) => same(old, item)))];
}

function mergeItems(
  type: FieldType & { is: "list" },
  key: string,
  list: readonly Json[],
  patch: readonly Json[],
): Json[] {
  if (patch.some((item) => isMap(item) && item["$patch"] === "replace")) {
    return patch.filter((item) => !(isMap(item) && item["$patch"] === "replace"));
  }
  const out = [...list];
  for (const item of patch) {
    if (!isMap(item)) throw badRequest("Invalid JSON document");
    const id = item[key];
    if (id === undefined)
      throw badRequest(`map: ${JSON.stringify(item)} does not contain declared merge key: ${key}`);
    const at = out.findIndex((old) => isMap(old) && same(old[key], id));
    if (item["$patch"] === "delete") {
      if (at >= 0) out.splice(at, 1);
    } else if (at >= 0) out[at] = mergeMap(type.of, out[at] as JsonMap, item);
    else out.push(mergeMap(type.of, {}, item));
  }
  return out;
}

function fieldOf(type: FieldType | undefined, key: string): FieldType | undefined {
  if (type?.is === "map") return type.of;
  return type?.is === "struct" ? structOf(type.name)?.fields.get(key)?.type : undefined;
}

function without(map: JsonMap, key: string): JsonMap {
  const { [key]: _gone, ...rest } = map;
  return rest;
}
