import { isRecord, type JsonRecord, own, sameJson, without } from "./json-value.ts";
import { PatchError } from "./patch-error.ts";

/** How the value at one place of an object is merged. */
export interface MergeRules {
  /** The rules of a field of it. */
  field(key: string): MergeRules;
  /** The rules of an element of it. */
  element(): MergeRules;
  /** Of a list: the field by which elements are paired; "" for a set of plain values; undefined: the patch's list replaces it. */
  mergeKey(patch: readonly unknown[]): string | undefined;
}

/**
 * The object after a strategic merge patch.
 *
 * A caller that has the types of the kinds (the embedded cluster) brings their rules; the others merge what is named as the
 * built-in kinds name it.
 */
export function applyStrategicPatch(
  target: JsonRecord,
  patch: JsonRecord,
  rules: MergeRules = rulesByName(""),
): JsonRecord {
  if (patch["$patch"] === "replace") return without(patch, "$patch");
  if (patch["$patch"] === "delete") return {};
  const retain = patch["$retainKeys"];
  const fields = new Map(
    Object.entries(target).filter(([key]) => !Array.isArray(retain) || retain.includes(key)),
  );
  for (const [key, value] of Object.entries(patch)) {
    if (key.startsWith("$")) deleteValues(key, value, fields, patch);
    else if (value === null) fields.delete(key);
    else if (value !== undefined) {
      const merged = mergeValue(fields.get(key), value, rules.field(key));
      if (merged === undefined) fields.delete(key);
      else fields.set(key, merged);
    }
  }
  for (const [key, value] of Object.entries(patch)) setOrder(key, value, fields, rules);
  return Object.fromEntries(fields);
}

/** `$deleteFromPrimitiveList/name` takes values out of a list. */
function deleteValues(key: string, value: unknown, fields: Map<string, unknown>, patch: JsonRecord): void {
  const [directive, name = ""] = key.split("/");
  if (directive !== "$deleteFromPrimitiveList" || !Array.isArray(value)) return;
  const have = fields.get(name);
  const left = Array.isArray(have) ? have.filter((one) => !includes(value, one)) : [];
  if (left.length === 0 && own(patch, name) === undefined) fields.delete(name);
  else fields.set(name, left);
}

/** `$setElementOrder/name` sorts a list after the merge. */
function setOrder(key: string, order: unknown, fields: Map<string, unknown>, rules: MergeRules): void {
  const [directive, name = ""] = key.split("/");
  const list = fields.get(name);
  if (directive !== "$setElementOrder" || !Array.isArray(order) || !Array.isArray(list)) return;
  const mergeKey = rules.field(name).mergeKey(list);
  if (mergeKey === undefined) return;
  const id = (one: unknown): unknown => (mergeKey === "" || !isRecord(one) ? one : own(one, mergeKey));
  const rank = (one: unknown): number => order.findIndex((wanted) => sameJson(id(wanted), id(one)));
  fields.set(name, ordered(list, rank));
}

/** Elements named in the order come in that order; the others keep their place relative to what came before them. */
function ordered(list: readonly unknown[], rank: (one: unknown) => number): unknown[] {
  const named = list
    .filter((one) => rank(one) >= 0)
    .toSorted((a, b) => rank(a) - rank(b))
    .values();
  return list.map((one) => (rank(one) >= 0 ? named.next().value : one));
}

function mergeValue(target: unknown, value: unknown, rules: MergeRules): unknown {
  if (isRecord(value)) {
    if (value["$patch"] === "delete") return undefined;
    return applyStrategicPatch(isRecord(target) ? target : {}, value, rules);
  }
  const key = Array.isArray(value) ? rules.mergeKey(value) : undefined;
  if (!Array.isArray(value) || key === undefined) return value;
  const have: readonly unknown[] = Array.isArray(target) ? target : [];
  if (key === "") return [...have, ...value.filter((one) => !includes(have, one))];
  return mergeElements(have, value, key, rules.element());
}

function mergeElements(
  have: readonly unknown[],
  patch: readonly unknown[],
  key: string,
  rules: MergeRules,
): unknown[] {
  const replaces = (one: unknown): boolean => isRecord(one) && one["$patch"] === "replace";
  if (patch.some(replaces)) return patch.filter((one) => !replaces(one));
  const result = [...have];
  for (const one of patch) {
    if (!isRecord(one)) throw new PatchError("Invalid JSON document");
    const id = own(one, key);
    if (id === undefined) {
      throw new PatchError(`map: ${JSON.stringify(one)} does not contain declared merge key: ${key}`);
    }
    const at = result.findIndex((other) => isRecord(other) && sameJson(own(other, key), id));
    const old = result[at];
    if (one["$patch"] === "delete") result.splice(at, at < 0 ? 0 : 1);
    else if (isRecord(old)) result[at] = applyStrategicPatch(old, one, rules);
    else result.push(applyStrategicPatch({}, one, rules));
  }
  return result;
}

function includes(list: readonly unknown[], value: unknown): boolean {
  return list.some((one) => sameJson(one, value));
}

/** Lists that the built-in kinds merge element by element, and the field that tells elements apart; "" for a set. */
const keysByName: Readonly<Record<string, string>> = {
  allocatedResourcesStatus: "name",
  conditions: "type",
  containers: "name",
  drivers: "name",
  env: "name",
  ephemeralContainers: "name",
  finalizers: "",
  hostAliases: "ip",
  hostIPs: "ip",
  imagePullSecrets: "name",
  initContainers: "name",
  matchConditions: "name",
  ownerReferences: "uid",
  podCIDRs: "",
  podIPs: "ip",
  resourceClaims: "name",
  resourceClaimStatuses: "name",
  schedulingGates: "name",
  secrets: "name",
  topologySpreadConstraints: "topologyKey",
  variables: "name",
  volumeDevices: "devicePath",
  volumeMounts: "mountPath",
  volumes: "name",
  webhooks: "name",
  "x-kubernetes-validations": "rule",
};

/** Rules for an object whose kind's types are not at hand: a list is merged as its name says. */
export function rulesByName(name: string): MergeRules {
  return {
    field: rulesByName,
    element: () => rulesByName(""),
    mergeKey: (patch) => {
      if (name !== "ports") return own(keysByName, name) as string | undefined; // the table's values
      // Ports of containers and of services have different keys under the same name.
      return patch.some((one) => isRecord(one) && Object.hasOwn(one, "containerPort"))
        ? "containerPort"
        : "port";
    },
  };
}
