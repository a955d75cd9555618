import { includeExclude, type PodVolumeBackup, passes, type Restore } from "../../api/index.ts";
import type { Item } from "./archive/item-json.ts";
import type { Spool } from "./archive/spool.ts";
import type { Filters } from "./choice.ts";
import type { RestoreActions } from "./item-actions.ts";
import type { RestoreOperations } from "./item-operations.ts";
import type { ItemContext } from "./item-restorer.ts";
import type { Json } from "./json.ts";
import { modifierOf } from "./modifiers/modifiers.ts";
import type { Outcomes } from "./outcomes.ts";
import type { Tally } from "./progress.ts";
import type { PutContext } from "./put.ts";
import type { RestoredVolumes } from "./restored-volumes.ts";
import type { RunLog } from "./run-log.ts";
import type { Served } from "./served.ts";
import type { SnapshotRestores } from "./snapshots.ts";
import { settingsOf, volumeMethods } from "./stored.ts";
import { claimOfVolume } from "./transform/volumes.ts";
import type { PodVolumeRestores } from "./volumes.ts";

interface Given {
  readonly restore: Restore;
  readonly spool: Spool;
  readonly filters: Filters;
  readonly served: Served;
  readonly log: RunLog;
  readonly tally: Tally;
  readonly outcomes: Outcomes;
  readonly put: PutContext;
  readonly podVolumeBackups: readonly PodVolumeBackup[];
  readonly volumes: PodVolumeRestores | undefined;
  readonly snapshots: SnapshotRestores | undefined;
  readonly operations: RestoreOperations;
  readonly plugins: RestoreActions | undefined;
  readonly terminatingTimeoutMs: number;
  readonly facts: RestoredVolumes;
  /** What the backup says about its volumes. */
  readonly volumeInfos: readonly Json[];
  readonly settings: { readonly storageClasses?: Json; readonly images?: Json; readonly modifiers?: string };
}

/** Everything that decides about single items, read once before the first. */
export function itemContext(given: Given): Omit<ItemContext, "present" | "moved"> {
  const { restore, filters, settings, served } = given;
  const spec = restore.spec ?? {};
  const modifier = settings.modifiers === undefined ? undefined : modifierOf(settings.modifiers);
  const methods = volumeMethods(given.volumeInfos);
  const copies = copiesByPod(given.podVolumeBackups);
  const copiedClaims = claimsOf(given.podVolumeBackups);
  const withVolumes =
    passes(filters.types, "persistentvolumeclaims") && passes(filters.types, "persistentvolumes");
  return {
    ...given,
    restorePVs: spec.restorePVs ?? true,
    actions: {
      preserveNodePorts: spec.preserveNodePorts ?? false,
      storageClasses: settingsOf(settings.storageClasses),
      images: settingsOf(settings.images),
    },
    modify: (type, item) => modifier?.(type, item) ?? item,
    restoresStatus: statusRule(spec, (word) => served.resolve(word)),
    volumeMethod: (volume) =>
      methods.get(volume.metadata.name) ?? legacyMethod(volume, copiedClaims, given.snapshots),
    volumeBackups: (namespace, pod) => (withVolumes ? (copies.get(`${namespace}/${pod}`) ?? []) : []),
  };
}

/** Volume backups with a snapshot, by the pod they belong to; bounded by the volumes of the backup. */
function copiesByPod(all: readonly PodVolumeBackup[]): ReadonlyMap<string, PodVolumeBackup[]> {
  const usable = all.filter(({ status }) => (status?.snapshotID ?? "") !== "");
  return Map.groupBy(usable, ({ spec }) => `${spec?.pod?.namespace ?? ""}/${spec?.pod?.name ?? ""}`);
}

/** Claims whose content was copied out of a pod. */
function claimsOf(all: readonly PodVolumeBackup[]): ReadonlySet<string> {
  return new Set(
    all.map(
      ({ metadata, spec }) =>
        `${spec?.pod?.namespace ?? ""}/${metadata.annotations?.["velero.io/pvc-name"] ?? ""}`,
    ),
  );
}

/** Backups older than the volume info say it by the volume backups and the snapshots alone. */
function legacyMethod(
  volume: Item,
  copied: ReadonlySet<string>,
  snapshots: SnapshotRestores | undefined,
): "PodVolumeBackup" | "NativeSnapshot" | "none" {
  if (snapshots?.has(volume.metadata.name)) return "NativeSnapshot";
  const claim = claimOfVolume(volume);
  return claim !== undefined && copied.has(`${claim.namespace}/${claim.name}`) ? "PodVolumeBackup" : "none";
}

/** Which items get their status back: nothing unless asked for; an annotation on the item has the last word. */
function statusRule(
  spec: NonNullable<Restore["spec"]>,
  resolve: (word: string) => string | undefined,
): (groupResource: string, item: Item) => boolean {
  const { includedResources, excludedResources } = spec.restoreStatus ?? {};
  const meant = (words: readonly string[] | null | undefined) =>
    (words ?? []).map((word) => resolve(word) ?? word);
  const pair = includeExclude(meant(includedResources), meant(excludedResources));
  return (type, item) => {
    const wish = item.metadata.annotations?.["velero.io/restore-status"]?.toLowerCase();
    if (wish === "true" || wish === "false") return wish === "true";
    return spec.restoreStatus != null && pair.includes.length > 0 && passes(pair, type);
  };
}
