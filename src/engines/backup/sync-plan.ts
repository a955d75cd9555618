import {
  type Backup,
  isEndedCopy,
  type PodVolumeBackup,
  parseTimeMs,
  type StoredBackup,
  type VolumePluginBackup,
  veleroNames,
} from "../../api/index.ts";

/** What importing needs to know of this cluster. */
export interface ImportFacts {
  readonly namespace: string;
  readonly location: string;
  readonly locationLabel: string;
  /** The names of the Schedules here, by their uid. */
  readonly schedules: ReadonlyMap<string, string>;
  readonly nowMs: number;
}

type Made = Readonly<Record<string, unknown>>;

/** Phases after which no controller does anything for a backup by itself. */
const ended = ["Completed", "PartiallyFailed", "Failed", "FailedValidation"];

/** A stored backup as it is created here; undefined when it must not be yet. */
export function importedBackup(stored: StoredBackup, facts: ImportFacts): Made | undefined {
  const isEnded = ended.includes(stored.phase);
  const expiresAt = parseTimeMs(stored.expiration);
  if (!isEnded && !(expiresAt !== undefined && expiresAt < facts.nowMs)) return undefined;
  const owners = stored.schedules.flatMap(({ uid }) => {
    const name = facts.schedules.get(uid);
    return name === undefined ? [] : [{ apiVersion: "velero.io/v1", kind: "Schedule", name, uid }];
  });
  return {
    apiVersion: "velero.io/v1",
    kind: "Backup",
    metadata: {
      name: stored.name,
      namespace: facts.namespace,
      labels: { ...stored.labels, [veleroNames.storageLocation]: facts.locationLabel },
      ...(Object.keys(stored.annotations).length > 0 && { annotations: stored.annotations }),
      ...(owners.length > 0 && { ownerReferences: owners }),
    },
    spec: { ...stored.spec, storageLocation: facts.location },
    // An expired half of a backup comes in only so that the collector can remove it.
    status: { ...stored.status, ...(!isEnded && { phase: "PartiallyFailed" }) },
  };
}

/** Where what belongs to an imported backup goes. */
export interface ImportPlace {
  readonly namespace: string;
  readonly location: string;
  /** The backup's name as a label has it. */
  readonly backupLabel: string;
}

/** A stored volume copy as it is created here, owned by the backup that was made a moment ago; undefined when it has not ended. */
export function importedVolume(copy: PodVolumeBackup, backup: Backup, place: ImportPlace): Made | undefined {
  // One that had not ended would be work for whoever runs on its node.
  return isEndedCopy(copy)
    ? {
        ...copy,
        metadata: owned(copy.metadata, backup, place),
        spec: { ...copy.spec, backupStorageLocation: place.location },
      }
    : undefined;
}

/** A stored snapshot's record as it is created here; undefined when it has not ended, or has no snapshot. */
export function importedSnapshot(
  stored: VolumePluginBackup,
  backup: Backup,
  place: ImportPlace,
): Made | undefined {
  const { phase = "", snapshotID } = stored.status ?? {};
  if (!snapshotID || !["Completed", "Failed", "Canceled"].includes(phase)) return undefined;
  return {
    ...stored,
    metadata: owned(stored.metadata, backup, place),
    spec: { ...stored.spec, backup: backup.metadata.name },
  };
}

/** Whether a stored snapshot was taken for a backup of another cluster, which was brought here. */
export function isAnothers(stored: VolumePluginBackup, backup: Backup): boolean {
  const origin = stored.metadata.labels?.[veleroNames.backupUid];
  return origin !== undefined && origin !== backup.metadata.uid;
}

/** The backup that it belongs to is the one whose folder it came from, whatever it says itself. */
function owned(
  { name, labels, annotations }: PodVolumeBackup["metadata"],
  { metadata }: Backup,
  { namespace, backupLabel }: ImportPlace,
): Made {
  const uid = metadata.uid ?? "";
  const owner = { apiVersion: "velero.io/v1", kind: "Backup", name: metadata.name, uid, controller: true };
  return {
    name,
    namespace,
    labels: { ...labels, [veleroNames.backupName]: backupLabel, [veleroNames.backupUid]: uid },
    ...(annotations && { annotations }),
    ownerReferences: [owner],
  };
}

/** Whether a Backup stands for something that is no longer in its location. */
export function isOrphan(backup: Backup, locationLabel: string, stored: ReadonlySet<string>): boolean {
  const { labels, name } = backup.metadata;
  const phase = backup.status?.phase;
  if (labels?.[veleroNames.storageLocation] !== locationLabel || stored.has(name)) return false;
  return phase === "Completed" || phase === "PartiallyFailed";
}
