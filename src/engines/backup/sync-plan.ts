import { type Backup, type PodVolumeBackup, type VolumePluginBackup, veleroNames } from "../../api/index.ts";

/** What importing needs to know of this cluster. */
export interface ImportFacts {
  readonly name: string;
  readonly namespace: string;
  readonly location: string;
  readonly locationLabel: string;
  readonly scheduleUids: ReadonlySet<string>;
  readonly nowMs: number;
}

type Made = Readonly<Record<string, unknown>>;

/** A stored backup as it is created here; undefined when it must not be yet, or is not what its folder says. */
export function importedBackup(stored: Backup, facts: ImportFacts): Made | undefined {
  if (stored?.kind !== "Backup" || stored.metadata?.name !== facts.name) return undefined;
  const { phase = "New", expiration } = stored.status ?? {};
  const unfinished = /^(WaitingForPluginOperations|Finalizing|New$|Queued|ReadyToStart|InProgress)/.test(
    phase,
  );
  const expired = expiration !== undefined && expiration !== null && Date.parse(expiration) < facts.nowMs;
  if (unfinished && !expired) return undefined;
  const { name, labels, annotations, ownerReferences } = stored.metadata;
  const owners = (ownerReferences ?? []).filter(
    ({ kind, uid }) => kind === "Schedule" && facts.scheduleUids.has(uid),
  );
  return {
    apiVersion: stored.apiVersion,
    kind: stored.kind,
    metadata: {
      name,
      namespace: facts.namespace,
      labels: { ...labels, [veleroNames.storageLocation]: facts.locationLabel },
      ...(annotations && { annotations }),
      ...(owners.length > 0 && { ownerReferences: owners }),
    },
    spec: { ...stored.spec, storageLocation: facts.location },
    // An expired half of a backup comes in only so that the collector can remove it.
    status: { ...stored.status, ...(unfinished && { phase: "PartiallyFailed" }) },
  };
}

/** A stored volume copy as it is created here, owned by the backup that was made a moment ago. */
export function importedVolume(
  copy: PodVolumeBackup,
  backup: Backup,
  location: string,
  namespace: string,
): Made {
  const { name, labels, annotations } = copy.metadata;
  const uid = backup.metadata.uid ?? "";
  return {
    apiVersion: "velero.io/v1",
    kind: "PodVolumeBackup",
    metadata: {
      name,
      namespace,
      labels: { ...labels, [veleroNames.backupUid]: uid },
      ...(annotations && { annotations }),
      ownerReferences: [ownedBy(backup)],
    },
    spec: { ...copy.spec, backupStorageLocation: location },
    status: copy.status,
  };
}

/** A stored snapshot's record as it is created here; undefined when it does not say what it is of. */
export function importedSnapshot(
  stored: VolumePluginBackup,
  backup: Backup,
  backupLabel: string,
  namespace: string,
): Made | undefined {
  const { name, labels, annotations } = stored?.metadata ?? {};
  if (!name || !stored.spec?.volume || !stored.status?.snapshotID) return undefined;
  const uid = backup.metadata.uid ?? "";
  return {
    apiVersion: "velero.io/v1",
    kind: "VolumePluginBackup",
    metadata: {
      name,
      namespace,
      labels: { ...labels, [veleroNames.backupName]: backupLabel, [veleroNames.backupUid]: uid },
      ...(annotations && { annotations }),
      ownerReferences: [ownedBy(backup)],
    },
    spec: { ...stored.spec, backup: backup.metadata.name },
    status: stored.status,
  };
}

/** Whether a stored snapshot was taken for a backup of another cluster, which was brought here. */
export function isAnothers(stored: VolumePluginBackup, backup: Backup): boolean {
  const origin = stored.metadata.labels?.[veleroNames.backupUid];
  return origin !== undefined && origin !== backup.metadata.uid;
}

function ownedBy({ metadata: { name, uid = "" } }: Backup) {
  return { apiVersion: "velero.io/v1", kind: "Backup", name, uid, controller: true };
}

/** Whether a Backup stands for something that is no longer in its location. */
export function isOrphan(backup: Backup, locationLabel: string, stored: ReadonlySet<string>): boolean {
  const { labels, name } = backup.metadata;
  const phase = backup.status?.phase;
  if (labels?.[veleroNames.storageLocation] !== locationLabel || stored.has(name)) return false;
  return phase === "Completed" || phase === "PartiallyFailed";
}
