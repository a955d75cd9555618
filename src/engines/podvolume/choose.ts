import { veleroNames } from "../../api/index.ts";
import { claimOf, type PodObject, type PodVolume, usedVolumes, volumeOf } from "./pod.ts";

/** What a policy of the backup says about a volume; absent when none matches. */
export type VolumeVerdict = "fs-backup" | "skip" | "snapshot" | "custom" | undefined;

/** What decides beside the pod itself. */
export interface ChoosingRules {
  /** Every volume unless it is named as excluded, instead of only the named ones. */
  readonly all: boolean;
  /** Whether the backup takes claims at all; their content alone is of no use. */
  readonly claimsIncluded: boolean;
  readonly verdict?: ((volume: PodVolume) => VolumeVerdict) | undefined;
  /** The claims' volumes that are folders of the node itself, by volume name. */
  readonly hostPathVolumes?: ReadonlySet<string>;
}

/** Volumes to copy, what was asked for and is not done, and what was asked to be left alone, with the reasons. */
export interface Chosen {
  readonly volumes: readonly PodVolume[];
  readonly skipped: readonly Passed[];
  readonly unwanted: readonly Passed[];
}

/** A volume that is not copied, and why. */
interface Passed {
  readonly volume: string;
  readonly reason: string;
}

/** Sources that hold no data of the application; Kubernetes makes them again. */
const neverCopied = ["hostPath", "secret", "configMap", "projected", "downwardAPI"];

/** Which volumes of a pod are copied file by file. */
export function chooseVolumes(pod: PodObject, rules: ChoosingRules): Chosen {
  const chosen: PodVolume[] = [];
  const skipped: Passed[] = [];
  const unwanted = unwantedIn(pod, rules);
  for (const name of wanted(pod, rules)) {
    const volume = volumeOf(pod, name);
    const reason = obstacle(pod, name, volume, rules);
    if (reason !== undefined || volume === undefined) skipped.push({ volume: name, reason: reason ?? "" });
    else chosen.push(volume);
  }
  if (chosen.length > 0 && pod.status?.phase !== "Running") {
    const reason = `the pod is ${pod.status?.phase ?? "not started"} and not Running`;
    const missed = chosen.map(({ name }) => ({ volume: name, reason }));
    return { volumes: [], skipped: [...skipped, ...missed], unwanted };
  }
  return { volumes: chosen, skipped, unwanted };
}

/** Volumes that a policy or the pod itself asks to leave alone. */
function unwantedIn(pod: PodObject, rules: ChoosingRules): readonly Passed[] {
  const excluded = listed(pod, veleroNames.backupVolumesExcludes);
  return (pod.spec?.volumes ?? []).flatMap((volume) => {
    const verdict = rules.verdict?.(volume);
    if (verdict === "skip") return [{ volume: volume.name, reason: "a policy skips it" }];
    if (verdict !== undefined || !rules.all || !excluded.includes(volume.name)) return [];
    const reason = `its pod opts it out (annotation ${veleroNames.backupVolumesExcludes})`;
    return [{ volume: volume.name, reason }];
  });
}

/** Names in the order of the pod, then those that the pod does not have. */
function wanted(pod: PodObject, rules: ChoosingRules): readonly string[] {
  const named = listed(pod, veleroNames.backupVolumes);
  const excluded = listed(pod, veleroNames.backupVolumesExcludes);
  const names = (pod.spec?.volumes ?? [])
    .filter((volume) => {
      const verdict = rules.verdict?.(volume);
      if (verdict !== undefined) return verdict === "fs-backup";
      if (!rules.all) return named.includes(volume.name);
      return !excluded.includes(volume.name) && holdsData(pod, volume, rules.claimsIncluded);
    })
    .map(({ name }) => name);
  const unknown = rules.all ? [] : named.filter((name) => volumeOf(pod, name) === undefined);
  return [...names, ...unknown];
}

function holdsData(pod: PodObject, volume: PodVolume, claimsIncluded: boolean): boolean {
  if (volume.name.startsWith("default-token")) return false;
  if (!claimsIncluded && claimOf(pod, volume) !== undefined) return false;
  return !neverCopied.some((source) => volume[source] !== undefined);
}

function obstacle(
  pod: PodObject,
  name: string,
  volume: PodVolume | undefined,
  rules: ChoosingRules,
): string | undefined {
  if (volume === undefined) return "the pod has no volume of this name";
  if (volume["hostPath"] !== undefined) return "it is a folder of the node itself (hostPath)";
  if (rules.hostPathVolumes?.has(name))
    return "its PersistentVolume is a folder of the node itself (hostPath)";
  if (usedVolumes(pod, "volumeDevices").has(name)) return "it is a raw block device";
  if (!usedVolumes(pod, "volumeMounts").has(name)) return "no container mounts it";
  return undefined;
}

function listed(pod: PodObject, annotation: string): readonly string[] {
  return (pod.metadata.annotations?.[annotation] ?? "")
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
}
