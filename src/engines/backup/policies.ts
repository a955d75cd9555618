import { parse } from "yaml";
import {
  type ItemRules,
  itemRuleSections,
  type LabelSelector,
  parseQuantity,
  readItemRules,
  selects,
  type VolumeFacts,
} from "../../api/index.ts";
import { messageOf } from "../../errors.ts";
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
  readonly pvcVolumeMode?: string;
  readonly pvcAccessModes?: readonly string[];
}

/** The policies of a backup. */
export interface Policies {
  readonly volumes: readonly {
    readonly conditions: Conditions;
    readonly action: VolumeAction;
    /** The VolumeSnapshotClass of an action "snapshot"; absent when others decide. */
    readonly snapshotClass?: string;
  }[];
  readonly lists: PolicyLists;
  /** What single items must be like; absent when the policy does not say. */
  readonly rules?: ItemRules | undefined;
}

/** No rules at all. */
export const noPolicies: Policies = { volumes: [], lists: {} };

/** Reads the ConfigMap of a backup's resource policy; a string is the reason why it cannot be read. */
export function readPolicies(data: Readonly<Record<string, string>> | undefined): Policies | string {
  const texts = Object.values(data ?? {});
  if (texts.length !== 1) return `it must have exactly one key, and has ${texts.length}`;
  try {
    const root = record(parse(texts[0] ?? "", { logLevel: "error" }), "the policy");
    known(root, "the policy", ["version", "volumePolicies", "includeExcludePolicy", ...itemRuleSections]);
    if (root["version"] !== "v1") return `version must be "v1", not ${JSON.stringify(root["version"])}`;
    return {
      volumes: list(root["volumePolicies"], "volumePolicies").map(volumePolicy),
      lists: policyLists(root["includeExcludePolicy"]),
      rules: readItemRules(root),
    };
  } catch (error) {
    return messageOf(error);
  }
}

/** Whether the policies choose types or items, which the filters without scope cannot be mixed with. */
export function choosesItems({ lists, rules }: Policies): boolean {
  return rules !== undefined || Object.values(lists).some((words) => words.length > 0);
}

/** The action for a volume: the first policy whose conditions all hold. */
export function volumeAction(policies: Policies, facts: VolumeFacts): VolumeAction | undefined {
  return policies.volumes.find(({ conditions }) => holds(conditions, facts))?.action;
}

/** The VolumeSnapshotClass that the policy of a volume asks for. */
export function wantedClass(policies: Policies, facts: VolumeFacts): string | undefined {
  return policies.volumes.find(({ conditions }) => holds(conditions, facts))?.snapshotClass;
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
    (!c.pvcPhase || c.pvcPhase.includes(v.pvcPhase ?? "")) &&
    (c.pvcVolumeMode === undefined || c.pvcVolumeMode === v.pvcVolumeMode) &&
    (!c.pvcAccessModes || sameSet(c.pvcAccessModes, v.pvcAccessModes))
  );
}

function sameSet(wanted: readonly string[], found: readonly string[] | undefined): boolean {
  const [one, other] = [new Set(wanted), new Set(found)];
  return found !== undefined && one.size === other.size && wanted.every((word) => other.has(word));
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
  known(policy, "a volume policy", ["conditions", "action"]);
  const action = record(policy["action"], "action");
  known(action, "action", ["type", "parameters"]);
  const { type } = action;
  if (type !== "skip" && type !== "fs-backup" && type !== "snapshot" && type !== "custom") {
    throw new Error(`action type ${JSON.stringify(type)} is none of skip, fs-backup, snapshot, custom`);
  }
  const snapshotClass = readParameters(type, record(action["parameters"] ?? {}, "parameters"));
  return {
    conditions: conditionsOf(record(policy["conditions"] ?? {}, "conditions")),
    action: type,
    ...(snapshotClass !== undefined && { snapshotClass }),
  };
}

/** What releases after 1.18 know; whatever else is there is nobody's business, as it was before. The class is what counts. */
function readParameters(
  type: VolumeAction,
  parameters: Readonly<Record<string, unknown>>,
): string | undefined {
  for (const name of ["dataMover", "snapshotClass"]) {
    if (parameters[name] !== undefined && type !== "snapshot") {
      throw new Error(`parameter "${name}" is for the action "snapshot" only, not for "${type}"`);
    }
  }
  const { dataMover, snapshotClass } = parameters;
  const movers = ["", "velero", "velero-fs", "velero-block"];
  if (dataMover !== undefined && !(typeof dataMover === "string" && movers.includes(dataMover))) {
    throw new Error(
      `parameter dataMover ${JSON.stringify(dataMover)} is none of velero, velero-fs, velero-block`,
    );
  }
  if (snapshotClass !== undefined && (typeof snapshotClass !== "string" || snapshotClass === "")) {
    throw new Error("parameter snapshotClass is not the name of a class");
  }
  return snapshotClass;
}

/** Refuses keys by name, as upstream's strict reading does: a word that is misspelt would otherwise match every volume. */
function known(value: Readonly<Record<string, unknown>>, what: string, keys: readonly string[]): void {
  const odd = Object.keys(value).find((key) => !keys.includes(key));
  if (odd !== undefined) throw new Error(`"${odd}" of ${what} is not known`);
}

const conditionNames = [
  "capacity",
  "storageClass",
  "nfs",
  "csi",
  "volumeTypes",
  "pvcLabels",
  "pvcPhase",
  "pvcVolumeMode",
  "pvcAccessModes",
];

function conditionsOf(c: Readonly<Record<string, unknown>>): Conditions {
  const odd = Object.keys(c).find((key) => !conditionNames.includes(key));
  if (odd !== undefined) throw new Error(`condition "${odd}" is not known`);
  const has = (name: string) => c[name] !== undefined && c[name] !== null;
  const { capacity } = c;
  return {
    ...(has("capacity") && { capacity: capacityRange(typeof capacity === "string" ? capacity : "") }),
    ...(has("storageClass") && { storageClass: words(c["storageClass"], "storageClass") }),
    ...(c["nfs"] !== undefined && { nfs: nfsOf(record(c["nfs"] ?? {}, "nfs")) }),
    ...(c["csi"] !== undefined && { csi: csiOf(record(c["csi"] ?? {}, "csi")) }),
    ...(has("volumeTypes") && { volumeTypes: words(c["volumeTypes"], "volumeTypes") }),
    ...(has("pvcLabels") && { pvcLabels: { matchLabels: strings(record(c["pvcLabels"], "pvcLabels")) } }),
    ...(has("pvcPhase") && { pvcPhase: words(c["pvcPhase"], "pvcPhase") }),
    ...(has("pvcVolumeMode") && { pvcVolumeMode: String(c["pvcVolumeMode"]) }),
    ...(has("pvcAccessModes") && { pvcAccessModes: words(c["pvcAccessModes"], "pvcAccessModes") }),
  };
}

function nfsOf(nfs: Readonly<Record<string, unknown>>): NonNullable<Conditions["nfs"]> {
  known(nfs, "the condition nfs", ["server", "path"]);
  return nfs;
}

function csiOf(csi: Readonly<Record<string, unknown>>): NonNullable<Conditions["csi"]> {
  known(csi, "the condition csi", ["driver", "volumeAttributes"]);
  const attributes = strings(record(csi["volumeAttributes"] ?? {}, "volumeAttributes"));
  const driver = typeof csi["driver"] === "string" ? csi["driver"] : "";
  if (driver === "" && Object.keys(attributes).length > 0) {
    throw new Error("the condition csi has volumeAttributes and no driver");
  }
  return { driver, volumeAttributes: attributes };
}

/** `10Gi,100Gi`; either side may be missing. */
function capacityRange(text: string): { min: number; max: number } {
  const [low = "", high = "", more] = text.split(",").map((part) => part.trim());
  const min = low === "" ? 0 : parseQuantity(low);
  const limit = high === "" ? 0 : parseQuantity(high);
  // Upstream takes an upper bound of nothing for none.
  const max = limit === 0 ? Number.POSITIVE_INFINITY : limit;
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
  known(from, "includeExcludePolicy", listNames);
  const lists: { [K in (typeof listNames)[number]]?: readonly string[] } = {};
  for (const name of listNames) {
    if (from[name] === undefined || from[name] === null) continue;
    lists[name] = words(from[name], name);
    if (lists[name]?.includes("*")) throw new Error(`${name} must not contain "*"`);
  }
  for (const scope of ["ClusterScopedResources", "NamespaceScopedResources"] as const) {
    const both = lists[`included${scope}`]?.find((word) => lists[`excluded${scope}`]?.includes(word));
    if (both !== undefined) throw new Error(`"${both}" is both included and excluded`);
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
