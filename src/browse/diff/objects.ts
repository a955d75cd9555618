import { createHash } from "node:crypto";
import { groupResource } from "../../api/index.ts";
import { canonical, type FieldChange, fieldChanges, withoutNoise } from "./field-changes.ts";

/** An object of one side: which one, and what it is. */
export interface SideObject {
  readonly group: string;
  readonly resource: string;
  readonly namespace?: string | undefined;
  readonly name: string;
  /** Read when it is needed. */
  readonly read: () => Readonly<Record<string, unknown>>;
}

/** One side of a comparison; it may be gone through twice. */
export type Side = () => AsyncIterable<SideObject>;

/** Which object. */
export interface ObjectName {
  /** `deployments.apps`. */
  readonly resource: string;
  readonly namespace?: string;
  readonly name: string;
}

/** What differs between the objects of two sides. */
export interface ObjectsDiff {
  readonly added: readonly ObjectName[];
  readonly removed: readonly ObjectName[];
  readonly changed: readonly (ObjectName & { readonly fields: readonly FieldChange[] })[];
  readonly same: number;
  /** Differences beyond those that are listed. */
  readonly more: number;
}

/** Objects that are listed of each sort, and fields of one object. */
const maxListed = 2_000;
const maxFields = 100;

/**
 * Compares two sides: the first is read once for a hash of each object, the second once to find what differs, and the first again
 * for what changed. Holds a name and a hash for each object, and the objects that changed, `maxListed` at most.
 */
export async function diffObjects(before: Side, after: Side): Promise<ObjectsDiff> {
  const hashes = new Map<string, string>();
  for await (const object of before()) hashes.set(keyOf(object), hashOf(object));
  const added: ObjectName[] = [];
  const changed = new Map<string, SideObject & { readonly now: Readonly<Record<string, unknown>> }>();
  let [same, more] = [0, 0];
  for await (const object of after()) {
    const key = keyOf(object);
    const known = hashes.get(key);
    hashes.delete(key);
    if (known === hashOf(object)) same += 1;
    else if (known === undefined) {
      if (added.length < maxListed) added.push(nameOf(object));
      else more += 1;
    } else if (changed.size < maxListed) changed.set(key, { ...object, now: withoutNoise(object.read()) });
    else more += 1;
  }
  const removed = [...hashes.keys()].toSorted();
  const listed = removed.slice(0, maxListed).map((key) => readKey(key));
  return {
    added: added.toSorted(byName),
    removed: listed,
    changed: changed.size === 0 ? [] : await fieldsOf(before, changed),
    same,
    more: more + removed.length - listed.length,
  };
}

async function fieldsOf(
  before: Side,
  changed: ReadonlyMap<string, SideObject & { readonly now: Readonly<Record<string, unknown>> }>,
): Promise<ObjectsDiff["changed"]> {
  const found: (ObjectName & { readonly fields: readonly FieldChange[] })[] = [];
  for await (const object of before()) {
    const other = changed.get(keyOf(object));
    if (!other) continue;
    const isSecret = object.group === "" && object.resource === "secrets";
    const fields = fieldChanges(withoutNoise(object.read()), other.now, { isSecret, limit: maxFields });
    found.push({ ...nameOf(object), fields });
  }
  return found.toSorted(byName);
}

function hashOf(object: SideObject): string {
  return createHash("sha256")
    .update(canonical(withoutNoise(object.read())))
    .digest("base64")
    .slice(0, 24);
}

function keyOf({ group, resource, namespace = "", name }: SideObject): string {
  return `${namespace}/${groupResource({ group, resource })}/${name}`;
}

function readKey(key: string): ObjectName {
  const [namespace = "", resource = "", name = ""] = key.split("/");
  return { resource, ...(namespace !== "" && { namespace }), name };
}

function nameOf(object: SideObject): ObjectName {
  return readKey(keyOf(object));
}

function byName(a: ObjectName, b: ObjectName): number {
  const [left, right] = [a, b].map(
    ({ namespace = "", resource, name }) => `${namespace}/${resource}/${name}`,
  );
  return (left ?? "") < (right ?? "") ? -1 : 1;
}
