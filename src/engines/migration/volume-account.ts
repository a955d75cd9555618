import {
  type Backup,
  type DataDownload,
  type DataUpload,
  type MigPlan,
  type PodVolumeBackup,
  type PodVolumeRestore,
  type Restore,
  veleroNames,
} from "../../api/index.ts";
import { volumePhaseOf, volumeStateOf } from "../../kinds/index.ts";
import { settingNames } from "./names.ts";
import type { Outcome, Settings } from "./run.ts";
import {
  claimOf,
  copiedClaims,
  isCopiedByFiles,
  isCopiedBySnapshot,
  namespacesOf,
  type Pod,
  volumesToMigrate,
} from "./shapes.ts";

/** A volume that the plan takes along and that did not come: which claim, and why, with what to do. */
export interface LostVolume {
  /** `namespace/name`. */
  readonly claim: string;
  readonly why: string;
}

type Copy = PodVolumeBackup | PodVolumeRestore;
type Movement = DataUpload | DataDownload;

/** The claim of a copy as `namespace/name`: its own note, or what the pod behind it says. */
export function claimOfCopy({ metadata, spec }: Copy, pods: readonly Pod[]): string | undefined {
  const { namespace = "", name } = spec?.pod ?? {};
  const holder = pods.find((pod) => pod.metadata.name === name && pod.metadata.namespace === namespace);
  const held = holder?.spec?.volumes?.find((volume) => volume.name === spec?.volume);
  const claim = metadata.annotations?.[veleroNames.pvcName] ?? held?.persistentVolumeClaim?.claimName;
  return claim && `${namespace}/${claim}`;
}

/** The volumes whose data are not in the store although the Backup of the volumes has ended. */
export function notCopied(
  plan: Pick<MigPlan, "spec">,
  backup: Backup,
  copies: readonly PodVolumeBackup[],
  pods: readonly Pod[],
  uploads: readonly DataUpload[] = [],
): readonly LostVolume[] {
  const title = `Backup ${backup.metadata.namespace}/${backup.metadata.name}`;
  const files = [...copiedClaims(plan)].flatMap((claim) => {
    const mine = copies.filter((copy) => claimOfCopy(copy, pods) === claim);
    const why = whyLost(mine, `no PodVolumeBackup of ${title} is for it`);
    return why === undefined ? [] : [{ claim, why: `not copied: ${why}` }];
  });
  const unmoved = uploads.flatMap((upload) => {
    const claim = keyOf({
      namespace: upload.spec?.sourceNamespace ?? "",
      name: upload.spec?.sourcePVC ?? "",
    });
    const why = whyLost([upload], "");
    return why === undefined ? [] : [{ claim, why: `not copied: ${why}` }];
  });
  const moved = new Set(uploads.map(({ spec }) => `${spec?.sourceNamespace}/${spec?.sourcePVC}`));
  const snapshots = volumesToMigrate(plan).filter(
    (volume) =>
      !isCopiedByFiles(volume) && volume.selection.action !== "move" && !moved.has(keyOf(claimOf(volume))),
  );
  files.push(...unmoved);
  const { volumeSnapshotsCompleted = 0, csiVolumeSnapshotsCompleted = 0 } = backup.status ?? {};
  const taken = volumeSnapshotsCompleted + csiVolumeSnapshotsCompleted;
  if (taken >= snapshots.length) return files;
  const why = `not copied: ${title} took ${taken} of ${snapshots.length} snapshots; its log says of which volume it took none`;
  return [...files, ...snapshots.map((volume) => ({ claim: keyOf(claimOf(volume)), why }))];
}

/** The volumes whose data are in the store and not on the destination, although the Restore of the volumes has ended. */
export function notRestored(
  plan: Pick<MigPlan, "spec">,
  restore: Restore,
  found: {
    readonly copies: readonly PodVolumeBackup[];
    readonly restored: readonly PodVolumeRestore[];
    /** Pods that the copies may be in, of both clusters. */
    readonly pods: readonly Pod[];
    /** Claims of the plan's namespaces on the destination, as `namespace/name`. */
    readonly claims: ReadonlySet<string>;
    /** What came out of snapshots. */
    readonly downloads?: readonly DataDownload[];
  },
): readonly LostVolume[] {
  const title = `Restore ${restore.metadata.namespace}/${restore.metadata.name}`;
  const targets = new Map(namespacesOf(plan).map(({ source, destination }) => [source, destination]));
  // An empty volume has a copy without a snapshot: there is nothing to restore of it.
  const stored = new Set(
    found.copies
      .filter(({ status }) => volumeStateOf(status) === "completed" && status?.snapshotID)
      .map((copy) => claimOfCopy(copy, found.pods)),
  );
  return volumesToMigrate(plan).flatMap((volume) => {
    const { namespace, name } = claimOf(volume);
    const claim = keyOf({ namespace: targets.get(namespace) ?? namespace, name });
    if (isCopiedByFiles(volume)) {
      if (!stored.has(keyOf({ namespace, name }))) return [];
      const mine = found.restored.filter((copy) => claimOfCopy(copy, found.pods) === claim);
      const why = whyLost(mine, `no PodVolumeRestore of ${title} is for it`);
      return why === undefined ? [] : [{ claim, why: `not restored: ${why}` }];
    }
    if (isCopiedBySnapshot(volume) && found.downloads) {
      const mine = found.downloads.filter(
        ({ spec }) => `${spec?.targetVolume?.namespace}/${spec?.targetVolume?.pvc}` === claim,
      );
      const why = whyLost(mine, `no DataDownload of ${title} is for it`);
      return why === undefined ? [] : [{ claim, why: `not restored: ${why}` }];
    }
    return found.claims.has(claim) ? [] : [{ claim, why: `not restored: ${title} made no such claim` }];
  });
}

/** Why none of these brought the data; undefined when one did. */
function whyLost(copies: readonly (Copy | Movement)[], none: string): string | undefined {
  if (copies.some(({ status }) => volumeStateOf(status) === "completed")) return undefined;
  const [first] = copies;
  if (!first)
    return `${none}; look whether a node agent runs on the node of its stage pod, and at the log of the run`;
  const title = `${first.kind} ${first.metadata.namespace}/${first.metadata.name}`;
  const words = first.status?.message ? `: ${first.status.message}` : "";
  switch (volumeStateOf(first.status)) {
    case "failed":
      return `${title} failed${words}`;
    case "canceled":
      return `${title} was canceled${words}`;
    default:
      return `${title} had not ended, it is ${volumePhaseOf(first.status)}; look at the node agent that has it`;
  }
}

/**
 * What lost volumes make of the end of a Backup or Restore. A run never goes on over lost data, unless its owner said beforehand
 * that it may.
 */
export function account(
  outcome: Outcome,
  lost: readonly LostVolume[],
  settings: Pick<Settings, "acceptMissing">,
): Outcome {
  if (lost.length === 0 || outcome.do === "wait") return outcome;
  const lines = lost.map(({ claim, why }) => `PersistentVolumeClaim ${claim}: ${why}.`);
  if (outcome.do === "fail") return { ...outcome, errors: [...lines, ...outcome.errors] };
  if (settings.acceptMissing) {
    const message = `The migration goes on without volumes: ${lines.join(" ")}`;
    return { ...outcome, warnings: [...(outcome.warnings ?? []), { type: "VolumesNotCopied", message }] };
  }
  const { report } = outcome;
  return { do: "fail", errors: [...lines, advice], ...(report && { report }) };
}

const advice = `Start the migration again when this is mended. A volume that is not needed is left out by selection.action "skip" in the plan's spec.persistentVolumes; a migration with the annotation ${settingNames.acceptMissing}: "true" goes on without what cannot be copied.`;

function keyOf({ namespace, name }: { readonly namespace: string; readonly name: string }): string {
  return `${namespace}/${name}`;
}
