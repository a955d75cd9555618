import { isRecord, type LabelSelector, selectorFault, selects } from "../../api/index.ts";
import { AppError } from "../../errors.ts";
import { type PodResources, readPodResources } from "./pod-resources.ts";

/** How volumes are moved on a node, out of the ConfigMap that upstream's agents read. */
export interface MovementSettings {
  /** Copies at a time on this node; absent when nobody says. */
  readonly concurrency?: number;
  /** Movements under preparation in the whole cluster; 0 is no limit. */
  readonly prepareQueueLength: number;
  readonly affinity: readonly { readonly nodeSelector: LabelSelector; readonly storageClass?: string }[];
  /** How the claim of a snapshot is made, by the class of the claim that was snapshotted. */
  readonly backupClaims: ReadonlyMap<string, BackupClaim>;
  /** Restore at once where the class waits for the first pod. */
  readonly ignoreDelayBinding: boolean;
  readonly priorityClass?: string;
  /** What the pods that hold volumes ask for; absent when nothing is set, or nothing that can be used. */
  readonly podResources?: PodResources;
  readonly podLabels: Readonly<Record<string, string>>;
  readonly podAnnotations: Readonly<Record<string, string>>;
}

/** How the claim of a snapshot differs from the claim that was snapshotted. */
export interface BackupClaim {
  readonly storageClass?: string;
  readonly readOnly: boolean;
  /** The volume is not relabeled for SELinux: only where it is not written to. */
  readonly spcNoRelabeling: boolean;
  readonly annotations: Readonly<Record<string, string>>;
}

/** What holds where nobody sets anything. */
export const usualSettings: MovementSettings = {
  prepareQueueLength: 0,
  affinity: [],
  backupClaims: new Map(),
  ignoreDelayBinding: false,
  podLabels: {},
  podAnnotations: {},
};

/** What upstream's agents read and ours do not heed, and why. */
const unheeded: Readonly<Record<string, string>> = {
  privilegedFsBackup: "the agent copies the volumes of pods itself",
  cachePVC: "caches lie in the agent's state folder",
  csiSnapshotMetadataServiceConfigs: "changed blocks are not asked for",
};

/** All that upstream's agents know. */
const known: ReadonlySet<string> = new Set([
  ...Object.keys(unheeded),
  "loadConcurrency",
  "loadAffinity",
  "backupPVC",
  "restorePVC",
  "podResources",
  "priorityClassName",
  "podLabels",
  "podAnnotations",
]);

/** Reads the ConfigMap's data for a node with these labels; `unheeded` are the settings without effect, in words. */
export function readSettings(
  data: Readonly<Record<string, string>> | undefined,
  nodeLabels: Readonly<Record<string, string>>,
): { readonly settings: MovementSettings; readonly unheeded: readonly string[] } {
  const [text, ...others] = Object.values(data ?? {});
  if (text === undefined) throw fault("has no data");
  if (others.length > 0) throw fault(`has ${others.length + 1} keys, not one`);
  const found = parsed(text);
  const load = mapAt(found, "loadConcurrency");
  const concurrency = concurrencyOf(load, nodeLabels);
  const priorityClass = textAt(found, "priorityClassName");
  const asked = found["podResources"] === undefined ? undefined : readPodResources(found["podResources"]);
  return {
    settings: {
      ...(concurrency !== undefined && { concurrency }),
      prepareQueueLength: countAt(load, "prepareQueueLength") ?? 0,
      affinity: listAt(found, "loadAffinity").map((one, at) => ({
        nodeSelector: selectorAt(one, "nodeSelector", `loadAffinity[${at}]`),
        ...(textAt(one, "storageClass") && { storageClass: textAt(one, "storageClass") ?? "" }),
      })),
      backupClaims: new Map(
        Object.entries(mapAt(found, "backupPVC")).map(([name, value]) => [name, backupClaim(asMap(value))]),
      ),
      ignoreDelayBinding: mapAt(found, "restorePVC")["ignoreDelayBinding"] === true,
      ...(priorityClass && { priorityClass }),
      ...(asked && !("fault" in asked) && { podResources: asked }),
      podLabels: textsAt(found, "podLabels"),
      podAnnotations: textsAt(found, "podAnnotations"),
    },
    unheeded: [...(asked && "fault" in asked ? [`podResources (${asked.fault})`] : []), ...unheededOf(found)],
  };
}

type Json = Readonly<Record<string, unknown>>;

function parsed(text: string): Json {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw fault("is not JSON", cause);
  }
  if (!isRecord(value)) throw fault("is not a JSON object");
  return value;
}

/** The smallest number of those that name this node; without one the number for all. What is not above zero is one. */
function concurrencyOf(load: Json, labels: Readonly<Record<string, string>>): number | undefined {
  const own = listAt(load, "perNodeConfig").flatMap((one, at) => {
    const selector = selectorAt(one, "nodeSelector", `loadConcurrency.perNodeConfig[${at}]`);
    const number = one["number"];
    return selects(selector, labels) && typeof number === "number" && number > 0 ? [Math.floor(number)] : [];
  });
  if (own.length > 0) return Math.min(...own);
  const all = load["globalConfig"];
  return typeof all === "number" ? Math.max(1, Math.floor(all)) : undefined;
}

function backupClaim(found: Json): BackupClaim {
  const storageClass = textAt(found, "storageClass");
  const readOnly = found["readOnly"] === true;
  return {
    ...(storageClass && { storageClass }),
    readOnly,
    spcNoRelabeling: readOnly && found["spcNoRelabeling"] === true,
    annotations: textsAt(found, "annotations"),
  };
}

function unheededOf(found: Json): readonly string[] {
  const whole = Object.entries(unheeded).flatMap(([name, why]) =>
    found[name] === undefined || found[name] === false ? [] : [`${name} (${why})`],
  );
  const copies = (name: "backupPVC" | "restorePVC", parts: readonly Json[]) =>
    ["secretNames", "configMapNames"].flatMap((key) =>
      parts.some((part) => part[key] !== undefined)
        ? [`${name}.${key} (nothing is copied between namespaces)`]
        : [],
    );
  const backups = Object.values(mapAt(found, "backupPVC")).map(asMap);
  const strange = Object.keys(found)
    .filter((name) => !known.has(name))
    .slice(0, 20)
    .map((name) => `${name.slice(0, 80)} (it is not known)`);
  return [
    ...whole,
    ...copies("backupPVC", backups),
    ...copies("restorePVC", [mapAt(found, "restorePVC")]),
    ...strange,
  ];
}

function selectorAt(found: Json, key: string, where: string): LabelSelector {
  const selector = mapAt(found, key) as LabelSelector; // checked in the next line
  const wrong = selectorFault(selector);
  if (wrong !== undefined) throw fault(`has a wrong ${key} in ${where}: ${wrong}`);
  return selector;
}

function mapAt(found: Json, key: string): Json {
  return asMap(found[key]);
}

function asMap(value: unknown): Json {
  return isRecord(value) ? value : {};
}

function listAt(found: Json, key: string): readonly Json[] {
  const value = found[key];
  return Array.isArray(value) ? value.map(asMap) : [];
}

function textAt(found: Json, key: string): string | undefined {
  const value = found[key];
  return typeof value === "string" ? value : undefined;
}

function countAt(found: Json, key: string): number | undefined {
  const value = found[key];
  return typeof value === "number" && value > 0 ? Math.floor(value) : undefined;
}

function textsAt(found: Json, key: string): Readonly<Record<string, string>> {
  const texts = Object.entries(mapAt(found, key)).filter(
    (entry): entry is [string, string] => typeof entry[1] === "string",
  );
  return Object.fromEntries(texts);
}

function fault(what: string, cause?: unknown): AppError {
  return new AppError("AGENT_SETTINGS", `the ConfigMap of the node agents ${what}`, { cause, retry: false });
}
