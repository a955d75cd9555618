import {
  copy,
  isMap,
  type Json,
  type JsonMap,
  type KubeObject,
  type ManagedFields,
  same,
  stamp,
} from "../object.ts";
import { apiVersionOf, type Resource } from "../resources.ts";
import { ApiError } from "../status.ts";
import { type Shape, shapeOf } from "./shape.ts";

/** Who applies, and whether it takes fields from other appliers. */
export interface ApplyOptions {
  readonly manager: string;
  readonly force: boolean;
  readonly time: number;
  readonly subresource?: string;
}

/**
 * Server-side apply, with the ownership of appliers only.
 *
 * What a manager applied before and leaves out now is removed, unless another applier has it too; a different value for a
 * field of another applier is a conflict. Plain updates own nothing here, so applying over them never conflicts.
 */
export function applyPatch(
  resource: Resource,
  old: KubeObject | undefined,
  intent: KubeObject,
  options: ApplyOptions,
): KubeObject {
  const shape = shapeOf(resource);
  const wanted = withoutIdentity(intent);
  const fields = fieldsOf(shape, wanted);
  const entries = old?.metadata.managedFields ?? [];
  const isMine = (e: ManagedFields): boolean =>
    e.manager === options.manager && e.operation === "Apply" && e.subresource === options.subresource;
  const mine = entries.find(isMine);
  let others = entries.filter((e) => !isMine(e));
  if (old) {
    const conflicts = others.flatMap((e) =>
      disputed(shape, e.fieldsV1 ?? {}, fields, old as unknown as JsonMap, wanted, "").map((path) => ({
        path,
        by: e.manager,
      })),
    );
    if (conflicts.length > 0 && !options.force) throw conflictOf(conflicts);
    others = others
      .map((e) => ({
        ...e,
        fieldsV1: conflicts.length > 0 ? subtract(e.fieldsV1 ?? {}, fields) : (e.fieldsV1 ?? {}),
      }))
      .filter((e) => Object.keys(e.fieldsV1).length > 0);
  }
  let result = old ? (copy(old) as unknown as JsonMap) : {};
  if (mine) {
    const kept = others.reduce((all, e) => mergeFields(all, e.fieldsV1 ?? {}), fields);
    result = removeLeft(shape, result, mine.fieldsV1 ?? {}, kept) as JsonMap;
  }
  result = merge(shape, result, wanted) as JsonMap;
  const object = { ...result, kind: intent.kind, apiVersion: intent.apiVersion } as unknown as KubeObject;
  const { resourceVersion: wantedVersion, uid: wantedUid } = intent.metadata;
  object.metadata = { ...object.metadata, name: intent.metadata.name };
  if (old?.metadata.resourceVersion)
    object.metadata.resourceVersion = wantedVersion ?? old.metadata.resourceVersion;
  if (wantedUid !== undefined) object.metadata.uid = wantedUid;
  const unchanged = mine && same(mine.fieldsV1, fields);
  const entry: ManagedFields = {
    manager: options.manager,
    operation: "Apply",
    apiVersion: apiVersionOf(resource),
    time: unchanged && mine.time !== undefined ? mine.time : stamp(options.time),
    fieldsType: "FieldsV1",
    fieldsV1: fields,
    ...(options.subresource !== undefined && { subresource: options.subresource }),
  };
  object.metadata.managedFields = [...others, entry];
  return object;
}

const identity = new Set(
  "name namespace uid resourceVersion generation creationTimestamp deletionTimestamp deletionGracePeriodSeconds managedFields selfLink".split(
    " ",
  ),
);

function withoutIdentity(intent: KubeObject): JsonMap {
  const { kind: _k, apiVersion: _v, metadata, ...rest } = intent;
  const meta = Object.fromEntries(Object.entries(metadata).filter(([key]) => !identity.has(key)));
  return { ...(rest as JsonMap), ...(Object.keys(meta).length > 0 && { metadata: meta as JsonMap }) };
}

/** The ownership tree of a value, in the notation of FieldsV1. */
function fieldsOf(shape: Shape, value: JsonMap): JsonMap {
  const out: JsonMap = {};
  for (const [key, item] of Object.entries(value)) {
    if (item !== undefined) out[`f:${key}`] = fieldsOfValue(shape.child(key), item);
  }
  return out;
}

function fieldsOfValue(shape: Shape, value: Json): JsonMap {
  if (shape.atomic) return {};
  if (Array.isArray(value) && shape.keys) {
    const out: JsonMap = {};
    for (const item of value as readonly Json[]) {
      const below = isMap(item) && shape.keys.length > 0 ? { ".": {}, ...fieldsOf(shape.item, item) } : {};
      out[itemKey(shape.keys, item)] = below;
    }
    return out;
  }
  return isMap(value) ? fieldsOf(shape, value) : {};
}

function itemKey(keys: readonly string[], item: Json): string {
  if (keys.length === 0 || !isMap(item)) return `v:${JSON.stringify(item)}`;
  return `k:${JSON.stringify(Object.fromEntries(keys.toSorted().map((key) => [key, item[key]])))}`;
}

function merge(shape: Shape, old: Json | undefined, next: Json): Json {
  if (shape.atomic) return next;
  if (Array.isArray(next) && shape.keys && Array.isArray(old)) {
    const { keys } = shape;
    const out = [...(old as readonly Json[])];
    for (const item of next as readonly Json[]) {
      const at = out.findIndex((o) => itemKey(keys, o) === itemKey(keys, item));
      if (at < 0) out.push(item);
      else out[at] = merge(shape.item, out[at], item);
    }
    return out;
  }
  if (!isMap(next) || !isMap(old)) return next;
  const out: JsonMap = { ...old };
  for (const [key, value] of Object.entries(next)) {
    if (value !== undefined) out[key] = merge(shape.child(key), out[key], value);
  }
  return out;
}

/** Takes away what was owned and is not any more. */
function removeLeft(shape: Shape, value: Json, before: JsonMap, now: JsonMap): Json {
  if (Array.isArray(value) && shape.keys) {
    const { keys } = shape;
    return (value as readonly Json[]).flatMap((item) => {
      const key = itemKey(keys, item);
      const owned = before[key];
      if (!isMap(owned)) return [item];
      const still = now[key];
      return isMap(still) ? [removeLeft(shape.item, item, owned, still)] : [];
    });
  }
  if (!isMap(value)) return value;
  const out: JsonMap = { ...value };
  for (const [name, owned] of Object.entries(before)) {
    const key = name.slice(2);
    const item = out[key];
    if (!name.startsWith("f:") || item === undefined || !isMap(owned)) continue;
    const still = now[name];
    const leaf = Object.keys(owned).length === 0;
    if (leaf && !isMap(still)) delete out[key];
    else if (!leaf) {
      const left = removeLeft(shape.child(key), item, owned, isMap(still) ? still : {});
      const empty = Array.isArray(left) ? left.length === 0 : isMap(left) && Object.keys(left).length === 0;
      if (empty && !isMap(still)) delete out[key];
      else out[key] = left;
    }
  }
  return out;
}

/** Paths that another manager owns and to which a different value is applied. */
function disputed(
  shape: Shape,
  theirs: JsonMap,
  ours: JsonMap,
  old: Json,
  next: Json,
  path: string,
): string[] {
  const out: string[] = [];
  for (const [name, below] of Object.entries(theirs)) {
    const mine = ours[name];
    if (!isMap(mine) || !isMap(below)) continue;
    const [was, is, inner, here] = step(shape, name, old, next, path);
    const leaf = Object.keys(below).length === 0 || Object.keys(mine).length === 0;
    if (name === "." || was === undefined || is === undefined) continue;
    if (leaf ? !same(was, is) : false) out.push(here);
    else if (!leaf) out.push(...disputed(inner, below, mine, was, is, here));
  }
  return out;
}

function step(
  shape: Shape,
  name: string,
  old: Json,
  next: Json,
  path: string,
): [Json | undefined, Json | undefined, Shape, string] {
  if (name.startsWith("f:")) {
    const key = name.slice(2);
    return [
      isMap(old) ? old[key] : undefined,
      isMap(next) ? next[key] : undefined,
      shape.child(key),
      `${path}.${key}`,
    ];
  }
  const keys = shape.keys ?? [];
  const find = (list: Json): Json | undefined =>
    Array.isArray(list) ? (list as readonly Json[]).find((item) => itemKey(keys, item) === name) : undefined;
  return [find(old), find(next), shape.item, `${path}[${name.slice(2)}]`];
}

function subtract(theirs: JsonMap, ours: JsonMap): JsonMap {
  const out: JsonMap = {};
  for (const [name, below] of Object.entries(theirs)) {
    const mine = ours[name];
    if (!isMap(mine) || !isMap(below)) out[name] = below;
    else if (Object.keys(below).length > 0) {
      const left = subtract(below, mine);
      if (Object.keys(left).some((key) => key !== ".")) out[name] = left;
    }
  }
  return out;
}

function mergeFields(a: JsonMap, b: JsonMap): JsonMap {
  const out: JsonMap = { ...a };
  for (const [key, value] of Object.entries(b)) {
    const mine = out[key];
    out[key] = isMap(mine) && isMap(value) ? mergeFields(mine, value) : value;
  }
  return out;
}

function conflictOf(conflicts: readonly { path: string; by: string }[]): ApiError {
  const causes = conflicts.map(({ path, by }) => ({
    reason: "FieldManagerConflict",
    message: `conflict with ${JSON.stringify(by)}`,
    field: path,
  }));
  const many = conflicts.length === 1 ? "1 conflict" : `${conflicts.length} conflicts`;
  const [first] = conflicts;
  const detail = conflicts.length === 1 ? ` with ${JSON.stringify(first?.by)}: ${first?.path}` : `s`.slice(1);
  return new ApiError(409, "Conflict", `Apply failed with ${many}: conflict${detail}`, { causes });
}
