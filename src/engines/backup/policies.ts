import { parse } from "yaml";
import { type LabelSelector, parseQuantity, selects, type VolumeFacts } from "../../api/index.ts";
import type { PolicyLists } from "./filters.ts";

/** What to do with a volume. */
export type VolumeAction = "skip" | "fs-backup" | "snapshot" | "custom";

interface Conditions {
  readonly capacity?: { readonly min: number; readonly max: number };
  readonly storageClass?: readonly string[];
  readonly nfs?: { readonly server?: string; readonly path?: string };
  readonly csi?: { readonly driver?: string; readonly volumeAttributes?: Readonly<Record<string, string>> };
  readonly volumeTypes?: readonly string[];
  readonly pvcLabels?: LabelSelector;
  readonly pvcPhase?: readonly string[];
}

/** The policies of a backup. */
export interface Policies {
  readonly volumes: readonly { readonly conditions: Conditions; readonly action: VolumeAction }[];
  readonly lists: PolicyLists;
}

/** No rules at all. */
export const noPolicies: Policies = { volumes: [], lists: {} };

/** Reads the ConfigMap of a backup's resource policy; a string is the reason why it cannot be read. */
export function readPolicies(data: Readonly<Record<string, string>> | undefined): Policies | string {
  const texts = Object.values(data ?? {});
  if (texts.length !== 1) return `it must have exactly one key, and has ${texts.length}`;
  try {
    const root = record(parse(texts[0] ?? "", { logLevel: "error" }), "the policy");
    if (root["version"] !== "v1") return `version must be "v1", not ${JSON.stringify(root["version"])}`;
    return {
      volumes: list(root["volumePolicies"], "volumePolicies").map(volumePolicy),
      lists: policyLists(root["includeExcludePolicy"]),
    };
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** The action for a volume: the first policy whose conditions all hold. */
export function volumeAction(policies: Policies, facts: VolumeFacts): VolumeAction | undefined {
  return policies.volumes.find(({ conditions }) => holds(conditions, facts))?.action;
}

function holds(c: Conditions, v: VolumeFacts): boolean {
  const capacity = v.capacityBytes ?? 0;
  return (
    (!c.capacity || (capacity >= c.capacity.min && capacity <= c.capacity.max)) &&
    (!c.storageClass || c.storageClass.includes(v.storageClass ?? "")) &&
    (!c.nfs || nfsHolds(c.nfs, v.nfs)) &&
    (!c.csi || csiHolds(c.csi, v.csi)) &&
    (!c.volumeTypes || c.volumeTypes.includes(v.type ?? "")) &&
    (!c.pvcLabels || (v.pvcLabels !== undefined && selects(c.pvcLabels, v.pvcLabels))) &&
    (!c.pvcPhase || c.pvcPhase.includes(v.pvcPhase ?? ""))
  );
}

function nfsHolds(c: NonNullable<Conditions["nfs"]>, nfs: VolumeFacts["nfs"]): boolean {
  if (!nfs) return false;
  return (!c.server || c.server === nfs.server) && (!c.path || c.path === nfs.path);
}

function csiHolds(c: NonNullable<Conditions["csi"]>, csi: VolumeFacts["csi"]): boolean {
  if (!csi) return false;
  if (c.driver && c.driver !== csi.driver) return false;
  return Object.entries(c.volumeAttributes ?? {}).every(([key, value]) => csi.attributes[key] === value);
}

function volumePolicy(value: unknown): Policies["volumes"][number] {
  const policy = record(value, "a volume policy");
  const action = record(policy["action"], "action")["type"];
  if (action !== "skip" && action !== "fs-backup" && action !== "snapshot" && action !== "custom") {
    throw new Error(`action type ${JSON.stringify(action)} is none of skip, fs-backup, snapshot, custom`);
  }
  return { conditions: conditionsOf(record(policy["conditions"] ?? {}, "conditions")), action };
}

const known = ["capacity", "storageClass", "nfs", "csi", "volumeTypes", "pvcLabels", "pvcPhase"];

function conditionsOf(c: Readonly<Record<string, unknown>>): Conditions {
  const odd = Object.keys(c).find((key) => !known.includes(key));
  if (odd !== undefined) throw new Error(`condition "${odd}" is not known`);
  const capacity = c["capacity"];
  return {
    ...(capacity !== undefined && { capacity: capacityRange(typeof capacity === "string" ? capacity : "") }),
    ...(c["storageClass"] !== undefined && { storageClass: words(c["storageClass"], "storageClass") }),
    ...(c["nfs"] !== undefined && { nfs: record(c["nfs"] ?? {}, "nfs") }),
    ...(c["csi"] !== undefined && { csi: record(c["csi"] ?? {}, "csi") }),
    ...(c["volumeTypes"] !== undefined && { volumeTypes: words(c["volumeTypes"], "volumeTypes") }),
    ...(c["pvcLabels"] !== undefined && {
      pvcLabels: { matchLabels: strings(record(c["pvcLabels"], "pvcLabels")) },
    }),
    ...(c["pvcPhase"] !== undefined && { pvcPhase: words(c["pvcPhase"], "pvcPhase") }),
  };
}

/** `10Gi,100Gi`; either side may be missing. */
function capacityRange(text: string): { min: number; max: number } {
  const [low = "", high = "", more] = text.split(",").map((part) => part.trim());
  const min = low === "" ? 0 : parseQuantity(low);
  const max = high === "" ? Number.POSITIVE_INFINITY : parseQuantity(high);
  if (more !== undefined || !text.includes(",") || min === undefined || max === undefined || min > max) {
    throw new Error(`capacity "${text}" is not a range such as "10Gi,100Gi"`);
  }
  return { min, max };
}

const listNames = [
  "includedClusterScopedResources",
  "excludedClusterScopedResources",
  "includedNamespaceScopedResources",
  "excludedNamespaceScopedResources",
] as const;

function policyLists(value: unknown): PolicyLists {
  if (value === undefined || value === null) return {};
  const from = record(value, "includeExcludePolicy");
  const lists: { [K in (typeof listNames)[number]]?: readonly string[] } = {};
  for (const name of listNames) {
    if (from[name] === undefined || from[name] === null) continue;
    lists[name] = words(from[name], name);
    if (lists[name]?.includes("*")) throw new Error(`${name} must not contain "*"`);
  }
  return lists;
}

function record(value: unknown, what: string): Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new Error(`${what} is no mapping`);
  return value as Readonly<Record<string, unknown>>; // checked in the line before
}

function strings(value: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, String(one)]));
}

function list(value: unknown, what: string): readonly unknown[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw new Error(`${what} is no list`);
  return value;
}

function words(value: unknown, what: string): readonly string[] {
  return list(value, what).map(String);
}
